#!/bin/sh
# Fine-tuning, English to German: trains a model on image captions (Multi30k), fine-tunes it on a small part of software
# texts (LibreOffice), and prints the scores of both texts before and after, and those of a model trained on the small
# part alone; also of models fine-tuned on half as many captions beside the small part (mixed), and with characters that
# the captions lack (extended).
#
#   tools/experiments/finetune.sh [DIRECTORY]             default: runs/finetune
#
# Environment: HEED_PROGRAM (build/heed), HEED_SHARED (../shared, with data/multi30k and data/libreoffice), THREADS (1),
# PAIRS (4000: size of the small part), EPOCHS (5: of the first model), TUNE_EPOCHS (10: of the others), RATES (learning
# rates of the fine-tuned models, "0.002 0.001"). Runs that were interrupted are resumed; finished runs are not repeated.
#
# The small part is drawn from the pairs of 3 to 15 words. The test text is LibreOffice's dev file: a pair is left out
# of the small part if either side equals a side of it, ignoring case, punctuation and spaces, and no source occurs twice.
set -eu

out=${1:-runs/finetune}
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data
captions=$data/multi30k
. "$(dirname "$0")/needs.sh"
needs "$captions/train.en" "$captions/train.de" "$data/libreoffice/train.en.gz" "$data/libreoffice/train.de.gz" \
  "$data/libreoffice/dev.en.gz" "$data/libreoffice/dev.de.gz"
mkdir -p "$out"

python3 - "$data/libreoffice" "$out" "${PAIRS:-4000}" "$captions" <<'PY'
import gzip, random, sys
data, out, pairs, captions = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
letters = lambda line: "".join(c for c in line.lower() if c.isalnum())
read = lambda part: list(zip(*(gzip.open(f"{data}/{part}.{side}.gz", "rt", encoding="utf-8", newline="\n").read().splitlines()
                               for side in ("en", "de"))))
def write(name, chosen):
    for k, side in enumerate(("en", "de")):
        with open(f"{out}/{name}.{side}", "w", encoding="utf-8") as file:
            file.writelines(pair[k] + "\n" for pair in chosen)
test = read("dev")
held_out = {letters(side) for pair in test for side in pair}
chosen = {}
for source, target in read("train"):
    if 3 <= len(source.split()) <= 15 and not {letters(source), letters(target)} & held_out and letters(source):
        chosen.setdefault(letters(source), (source, target))
chosen = list(chosen.values())
random.Random(1).shuffle(chosen)
write("test", test)
write("small", chosen[:pairs])
write("valid", chosen[pairs:pairs + 300])
old = list(zip(*(open(f"{captions}/train.{side}", encoding="utf-8", newline="\n").read().splitlines() for side in ("en", "de"))))
write("mixed", random.Random(1).sample(old, pairs // 2) + chosen[:pairs])
print(f"{len(chosen[:pairs])} of {len(chosen)} pairs, {len(test)} test pairs", file=sys.stderr)
PY

# train NAME OPTIONS…
train() {
  name=$1
  shift
  [ -e "$out/$name" ] && set -- "$@" --resume
  "$heed" train --out "$out/$name" --threads "${THREADS:-1}" --set validation.sentences=200 "$@"
}

# small NAME TEXT OPTIONS…: on the small part, or on the mixed text
small() {
  name=$1 text=$2
  shift 2
  train "$name" --train-source "$out/$text.en" --train-target "$out/$text.de" --valid-source "$out/valid.en" \
    --valid-target "$out/valid.de" --epochs "${TUNE_EPOCHS:-10}" --batch 16 "$@"
}

model="--set encoder.hidden=192 --set decoder.hidden=192 --set encoder.embedding=128 --set decoder.embedding=128
  --set readout.size=128 --set data.subwords=4000 --set data.source_language=en --set data.target_language=de
  --set dropout.source_embedding=0.1 --set dropout.target_embedding=0.1 --set dropout.readout=0.2"

# score MODEL: BLEU and chrF on both texts
score() {
  for text in "$out/test" "$captions/test_2016_flickr"; do
    "$heed" translate "$out/$1/model.safetensors" --input "$text.en" --output "$out/translated" --beam 5 --threads "${THREADS:-1}"
    "$heed" score --hypothesis "$out/translated" --reference "$text.de" --json >"$out/scores.json"
    python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); print("%-24s %-20s BLEU %6.2f  chrF %6.2f" % (
        sys.argv[2], sys.argv[3].rsplit("/")[-1], s["bleu"]["score"], s["chrf"]["score"]))' "$out/scores.json" "$1" "$text"
  done
}

# shellcheck disable=SC2086
train multi30k --train-source "$captions/train.en" --train-target "$captions/train.de" --valid-source "$captions/val.en" \
  --valid-target "$captions/val.de" --epochs "${EPOCHS:-5}" --set training.learning_rate=0.002 $model
score multi30k
# shellcheck disable=SC2086
small scratch small --set training.learning_rate=0.002 $model
score scratch
for rate in ${RATES:-0.002 0.001}; do
  small "tuned-$rate" small --from "$out/multi30k" --set training.learning_rate="$rate"
  score "tuned-$rate"
done
small mixed mixed --from "$out/multi30k" --set training.learning_rate=0.002
score mixed
small extended small --from "$out/multi30k" --set training.learning_rate=0.002 --extend-vocabulary 100
score extended
