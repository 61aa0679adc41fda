#!/bin/sh
# Tatoeba: two tutorials' own experiments, scored on their training pairs, and the default preset on all German pairs.
#
#   tools/experiments/tatoeba.sh [DIRECTORY [EXPERIMENT…]]
#
# DIRECTORY is runs/tatoeba by default; all experiments run by default:
#
# luong-concat   English to German, the first 10,000 pairs, 10 epochs, one pair per update, as in "Attention Mechanism"
#                (FloydHub)
# location-gru   French to English, the pairs that "The Dissected Attention Network" selects
# heed           English to German, all pairs except those of 3,000 held-out English sentences (2,000 for the test, 1,000
#                for validation), none of which occurs in training
#
# Environment: HEED_PROGRAM (build/heed), HEED_SHARED (../shared, with data/tatoeba), THREADS (0: all cores), EPOCHS. Runs
# that were interrupted are resumed; finished runs are not repeated.
set -eu

out=${1:-runs/tatoeba}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- luong-concat location-gru heed
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data/tatoeba
. "$(dirname "$0")/needs.sh"
needs "$data/deu.txt" "$data/eng-fra.txt"
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
      # The validation pairs are the training pairs, so the last line shows how many are translated exactly. heed scores
      # references as they are; the tutorial's are normalized: lower case without accents, only letters and . ! ?
      python3 - "$data/eng-fra.txt" "$out/normalized.txt" <<'PY'
import re, sys, unicodedata
with open(sys.argv[1], encoding="utf-8") as pairs, open(sys.argv[2], "w", encoding="utf-8") as out:
    for line in pairs:
        english, french = line.rstrip("\n").split("\t")[:2]
        bare = "".join(c for c in unicodedata.normalize("NFD", english.lower().strip()) if unicodedata.category(c) != "Mn")
        out.write(re.sub(r"[^a-zA-Z.!?]+", " ", re.sub(r"([.!?])", r" \1", bare)) + "\t" + french + "\n")
PY
      "$heed" train --preset location-gru --resume --out "$run" --epochs "${EPOCHS:-12}" --threads "${THREADS:-1}" \
        --train-tsv "$data/eng-fra.txt" --valid-tsv "$out/normalized.txt" --tsv-columns 2,1 \
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
        elif source not in seen:  # keep one translation of each sentence
            seen.add(source)
            if source in valid:
                dev.write(f"{source}\t{target}\n")
            else:
                en.write(source + "\n")
                de.write(target + "\n")
PY
      # The file is sorted by length, so each validation translates all of it, not only the first sentences.
      "$heed" train --preset heed --resume --out "$run" --epochs "${EPOCHS:-6}" --threads "${THREADS:-0}" \
        --train-tsv "$out/train.tsv" --valid-tsv "$out/valid.tsv" --set validation.sentences=0
      "$heed" evaluate "$run/model.safetensors" --source "$out/test.en" --reference "$out/test.de" \
        --threads "${THREADS:-0}"
      ;;
    *)
      echo "tatoeba.sh: there is no experiment '$experiment' (expected luong-concat, location-gru or heed)" >&2
      exit 2
      ;;
  esac
done
