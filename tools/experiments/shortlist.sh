#!/bin/sh
# Vocabulary selection on Multi30k, German to English: what it costs in quality and gains in speed.
#
#   tools/experiments/shortlist.sh [DIRECTORY [PRESET…]]
#
# For each preset that tools/experiments/multi30k.sh has trained in DIRECTORY (runs/multi30k by default): the scores on
# test_2016_flickr without and with the shortlist, the part of the reference's tokens that it covers, and the time of
# translating the test set, 64 sentences at a time on one thread. The two are measured alternately ROUNDS times (5); the
# least of each counts. Environment: HEED_PROGRAM, HEED_SHARED and THREADS as for multi30k.sh, ROUNDS.
set -eu

out=${1:-runs/multi30k}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- heed bigru-deep-output
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data/multi30k
. "$(dirname "$0")/needs.sh"
needs "$data/test_2016_flickr.de" "$data/test_2016_flickr.en"

for preset in "$@"; do
  needs "$out/$preset/model.safetensors"
  for beam in 1 5; do
    for shortlist in off on; do
      echo "$preset, beam $beam, shortlist $shortlist"
      "$heed" evaluate "$out/$preset" --source "$data/test_2016_flickr.de" --reference "$data/test_2016_flickr.en" \
        --lowercase --beam $beam --shortlist $shortlist --threads "${THREADS:-0}" 2> /dev/null |
        grep -E '^(BLEU|chrF2|TER) +[0-9]|^shortlist'
    done
    speed="$heed bench translate $out/$preset --source $data/test_2016_flickr.de --beam $beam --threads 1 --json"
    "$(dirname "$0")/processor_time.py" "${ROUNDS:-5}" "$speed --shortlist off" "$speed --shortlist on"
  done
done
