#!/bin/sh
# Multi30k, German to English: trains systems with their presets and prints their scores on test_2016_flickr.
#
#   tools/experiments/multi30k.sh [DIRECTORY [SYSTEM…]]
#
# DIRECTORY is runs/multi30k by default; the systems are heed, bigru-deep-output, constant-context and vanilla.
# Environment: HEED_PROGRAM (build/heed), HEED_SHARED (../shared, with data/multi30k), THREADS (0: all cores), EPOCHS
# (default: the preset's for heed, 6 for the others, whose tutorials give no number). Runs that were interrupted are
# resumed; finished runs are not repeated.
set -eu

out=${1:-runs/multi30k}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- heed bigru-deep-output constant-context vanilla
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data/multi30k
mkdir -p "$out"

for system in "$@"; do
  epochs=${EPOCHS:-}
  [ -n "$epochs" ] || [ "$system" = heed ] || epochs=6
  "$heed" train --preset "$system" --resume --out "$out/$system" ${epochs:+--epochs "$epochs"} --threads "${THREADS:-0}" \
    --train-source "$data/train.de" --train-target "$data/train.en" \
    --valid-source "$data/val.de" --valid-target "$data/val.en" \
    --set 'data.normalize=["nfc", "lowercase"]' --set validation.metric=bleu
  for beam in 1 5; do
    echo "$system, beam $beam"
    "$heed" evaluate "$out/$system/model.safetensors" --source "$data/test_2016_flickr.de" \
      --reference "$data/test_2016_flickr.en" --lowercase --beam $beam --threads "${THREADS:-0}"
  done
done
