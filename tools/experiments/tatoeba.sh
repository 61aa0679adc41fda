#!/bin/sh
# Tatoeba: the documents' own experiments, fitting their training pairs; and the default system on all of the German file.
#
#   tools/experiments/tatoeba.sh [DIRECTORY [EXPERIMENT…]]     runs/tatoeba; luong-concat, location-gru, heed
#
# luong-concat   English to German, the first 10,000 pairs, 10 epochs a pair at a time, as its document has it
# location-gru   French to English, the pairs that its document keeps
# heed           English to German, all pairs but 2,000 that are held out; no held-out English sentence is in training
#
# Settings: HEED (build/heed), HEED_SHARED (../shared, with data/tatoeba), THREADS (0: all cores), EPOCHS. A run that is
# done or was stopped is not begun anew.
set -eu

out=${1:-runs/tatoeba}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- luong-concat location-gru heed
heed=${HEED:-build/heed}
data=${HEED_SHARED:-../shared}/data/tatoeba
mkdir -p "$out"

for experiment in "$@"; do
  run="$out/$experiment"
  case $experiment in
    luong-concat)
      "$heed" train --preset luong-concat --resume --out "$run" --epochs "${EPOCHS:-10}" --threads "${THREADS:-1}" \
        --train-tsv "$data/deu.txt"
      head -n 10000 "$data/deu.txt" | cut -f 1 >"$out/first.en"
      head -n 10000 "$data/deu.txt" | cut -f 2 >"$out/first.de"
      "$heed" evaluate "$run/model.safetensors" --source "$out/first.en" --reference "$out/first.de" --lowercase --beam 1
      echo "she kissed him ." | "$heed" translate "$run/model.safetensors"
      ;;
    location-gru)
      # The validation pairs are the training pairs, chosen alike: the last line says how many come out exactly.
      "$heed" train --preset location-gru --resume --out "$run" --epochs "${EPOCHS:-12}" --threads "${THREADS:-1}" \
        --train-tsv "$data/eng-fra.txt" --valid-tsv "$data/eng-fra.txt" --tsv-columns 2,1 \
        --set training.learning_rate=0.01 --set validation.sentences=0 --set validation.metric=exact
      ;;
    heed)
      python3 - "$data/deu.txt" "$out" <<'PY'
import random, sys
pairs = [line.rstrip("\n").split("\t")[:2] for line in open(sys.argv[1], encoding="utf-8")]
sources = sorted({source for source, _ in pairs})
random.Random(1).shuffle(sources)
held, valid = set(sources[:2000]), set(sources[2000:3000])
seen = set()
with open(f"{sys.argv[2]}/train.tsv", "w", encoding="utf-8") as train, \
        open(f"{sys.argv[2]}/valid.tsv", "w", encoding="utf-8") as dev, \
        open(f"{sys.argv[2]}/test.en", "w", encoding="utf-8") as en, \
        open(f"{sys.argv[2]}/test.de", "w", encoding="utf-8") as de:
    for source, target in pairs:
        if source not in held and source not in valid:
            train.write(f"{source}\t{target}\n")
        elif source not in seen:  # one translation of each
            seen.add(source)
            if source in valid:
                dev.write(f"{source}\t{target}\n")
            else:
                en.write(source + "\n")
                de.write(target + "\n")
PY
      # The file begins with its shortest sentences, so all of them are translated at a validation.
      "$heed" train --preset heed --resume --out "$run" --epochs "${EPOCHS:-6}" --threads "${THREADS:-0}" \
        --train-tsv "$out/train.tsv" --valid-tsv "$out/valid.tsv" --set validation.sentences=0
      "$heed" evaluate "$run/model.safetensors" --source "$out/test.en" --reference "$out/test.de" \
        --threads "${THREADS:-0}"
      ;;
    *)
      echo "tatoeba.sh: $experiment is none of luong-concat, location-gru, heed" >&2
      exit 2
      ;;
  esac
done
