#!/bin/sh
# Robustness, English to German: trains two small models on image captions (Multi30k), one of them with data.augment, and
# prints the BLEU of each on the test text, on the same in all capitals, as headlines, with typing errors and without
# punctuation; plain, and with the text layer, which restores the case.
#
#   tools/experiments/robustness.sh [DIRECTORY]          default: runs/robustness
#
# Environment: HEED_PROGRAM (build/heed), HEED_SHARED (../shared, with data/multi30k), THREADS (1), UPDATES (2200). Runs that
# were interrupted are resumed; finished runs are not repeated. The references of the text in capitals are in capitals.
set -eu

out=${1:-runs/robustness}
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data/multi30k
threads=${THREADS:-1}
. "$(dirname "$0")/needs.sh"
needs "$data/train.en" "$data/train.de" "$data/test_2016_flickr.en" "$data/test_2016_flickr.de"
mkdir -p "$out"

python3 - "$data/test_2016_flickr" "$out" <<'PY'
import random, re, sys
test, out = sys.argv[1:]
source, target = (open(f"{test}.{side}", encoding="utf-8").read().splitlines() for side in ("en", "de"))
draw = random.Random(1)
def typo(match):
    word = match[0]
    if draw.random() >= 0.15:
        return word
    i = draw.randrange(1, len(word) - 1)
    return draw.choice([word[:i] + word[i + 1] + word[i] + word[i + 2:], word[:i] + word[i + 1:], word[:i] + word[i] + word[i:]])
texts = {"test": (source, target),
         "upper": ([line.upper() for line in source], [line.upper() for line in target]),
         "title": ([re.sub(r"\b[a-z]", lambda m: m[0].upper(), line) for line in source], target),
         "typos": ([re.sub(r"[A-Za-z]{4,}", typo, line) for line in source], target),
         "punctuation": ([line.rstrip(".!? ").replace(",", "") for line in source], target)}
for name, sides in texts.items():
    for side, lines in zip(("en", "de"), sides):
        with open(f"{out}/{name}.{side}", "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
PY

# train NAME OPTIONS…
train() {
  name=$1
  shift
  [ -e "$out/$name" ] && set -- "$@" --resume
  "$heed" train --out "$out/$name" --threads "$threads" --train "$data/train.en" "$data/train.de" \
    --valid "$data/val.en" "$data/val.de" --source-language en --target-language de --subwords 3000 \
    --updates "${UPDATES:-2200}" --set encoder.embedding=96 --set encoder.hidden=96 --set decoder.embedding=96 \
    --set decoder.hidden=96 --set readout.size=96 --set training.learning_rate=0.004 --set training.schedule_warmup=100 \
    --set training.label_smoothing=0 --set dropout.source_embedding=0.05 --set dropout.target_embedding=0.05 \
    --set dropout.readout=0.1 --set training.ema=0.99 --set validation.sentences=100 --set validation.samples=0 "$@"
}

train clean
train augmented --set 'data.augment=["upper", "title", "typos", "punctuation"]'
for name in clean augmented; do
  for layer in --plain ''; do
    printf '%-10s %-10s' "$name" "${layer:-text layer}"
    for text in test upper title typos punctuation; do
      "$heed" translate "$out/$name" --input "$out/$text.en" --output "$out/translated" --threads "$threads" $layer
      "$heed" score --hypothesis "$out/translated" --reference "$out/$text.de" --json >"$out/scores.json"
      python3 -c 'import json, sys; print("  %s %5.2f" % (sys.argv[2], json.load(open(sys.argv[1]))["bleu"]["score"]), end="")' \
        "$out/scores.json" "$text"
    done
    echo
  done
done
