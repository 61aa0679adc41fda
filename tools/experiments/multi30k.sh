#!/bin/sh
# Multi30k, German to English: trains presets and prints their scores on test_2016_flickr.
#
#   tools/experiments/multi30k.sh [DIRECTORY [PRESET…]]
#
# DIRECTORY is runs/multi30k by default; the presets are heed, bigru-deep-output, constant-context and vanilla.
# Environment: HEED_PROGRAM (build/heed), HEED_SHARED (../shared, with data/multi30k), THREADS (0: all cores), EPOCHS
# (default: the preset's for heed, 6 for the others, whose tutorials give no number). Runs that were interrupted are
# resumed; finished runs are not repeated.
set -eu

out=${1:-runs/multi30k}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- heed bigru-deep-output constant-context vanilla
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data/multi30k
. "$(dirname "$0")/needs.sh"
needs "$data/train.de" "$data/train.en" "$data/val.de" "$data/val.en" "$data/test_2016_flickr.de" "$data/test_2016_flickr.en"
mkdir -p "$out"

for preset in "$@"; do
  epochs=${EPOCHS:-}
  [ -n "$epochs" ] || [ "$preset" = heed ] || epochs=6
  "$heed" train --preset "$preset" --resume --out "$out/$preset" ${epochs:+--epochs "$epochs"} --threads "${THREADS:-0}" \
    --train-source "$data/train.de" --train-target "$data/train.en" \
    --valid-source "$data/val.de" --valid-target "$data/val.en" \
    --set 'data.normalize=["nfc", "lowercase"]' --set validation.metric=bleu
  for beam in 1 5; do
    echo "$preset, beam $beam"
    "$heed" evaluate "$out/$preset/model.safetensors" --source "$data/test_2016_flickr.de" \
      --reference "$data/test_2016_flickr.en" --lowercase --beam $beam --threads "${THREADS:-0}"
  done
done
