#!/bin/sh
# What the text layer costs in BLEU, German to English: trains a small model on talks (IWSLT14) and one on image captions
# (Multi30k), and scores their validation texts without the text layer, with protected spans alone, and with all of it.
#
#   tools/experiments/text_layer.sh [DIRECTORY]             default: runs/text-layer
#
# Environment: HEED_PROGRAM (build/heed), HEED_SHARED (../shared, with data/iwslt14-part and data/multi30k), THREADS (1),
# UPDATES (1200). Runs that were interrupted are resumed; finished runs are not repeated.
set -eu

out=${1:-runs/text-layer}
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data
threads=${THREADS:-1}
. "$(dirname "$0")/needs.sh"
needs "$data/iwslt14-part/train.de.gz" "$data/iwslt14-part/valid.de.gz" "$data/multi30k/train.de" "$data/multi30k/val.de"
mkdir -p "$out"

# train NAME TRAIN.de TRAIN.en VALID.de VALID.en
train() {
  resume=
  [ -e "$out/$1" ] && resume=--resume
  "$heed" train --out "$out/$1" --threads "$threads" --train-source "$2" --train-target "$3" --valid-source "$4" \
    --valid-target "$5" --updates "${UPDATES:-1200}" --set validation.sentences=200 --set encoder.hidden=192 \
    --set decoder.hidden=192 --set encoder.embedding=128 --set decoder.embedding=128 --set readout.size=128 \
    --set data.subwords=6000 --set data.source_language=de --set data.target_language=en \
    --set training.learning_rate=0.002 $resume
}

# score NAME VALID.de VALID.en LABEL OPTIONS…
score() {
  name=$1 source=$2 target=$3 label=$4
  shift 4
  "$heed" translate "$out/$name" --input "$source" --output "$out/translated" --threads "$threads" "$@"
  case $target in *.gz) gzip -dc "$target" >"$out/reference" ;; *) cp "$target" "$out/reference" ;; esac
  bleu=$("$heed" score --hypothesis "$out/translated" --reference "$out/reference" --json |
    python3 -c 'import json, sys; print(f"{json.load(sys.stdin)["bleu"]["score"]:.2f}")')
  printf '%-10s %-24s BLEU %s\n' "$name" "$label" "$bleu"
}

experiment() {
  train "$@"
  score "$1" "$4" "$5" "no text layer" --plain
  score "$1" "$4" "$5" "protected spans alone" --segment never --unknown keep --no-restore-case --no-stop-repetition
  score "$1" "$4" "$5" "whole text layer"
}

iwslt=$data/iwslt14-part multi30k=$data/multi30k
experiment iwslt14 "$iwslt/train.de.gz" "$iwslt/train.en.gz" "$iwslt/valid.de.gz" "$iwslt/valid.en.gz"
experiment multi30k "$multi30k/train.de" "$multi30k/train.en" "$multi30k/val.de" "$multi30k/val.en"
