#!/bin/sh
# int8 against f32: quality and speed of models and of their int8 versions.
#
#   tools/experiments/int8.sh DIRECTORY MODEL SOURCE REFERENCE [CALIBRATION]
#
# Writes DIRECTORY/int8.safetensors, calibrated on CALIBRATION (default: the ranges that training recorded), and prints, for
# greedy search and beam 5: BLEU and chrF of both models on SOURCE and REFERENCE, the fraction of equal translations, the speed
# in sentences per second (best of ROUNDS interleaved runs), file sizes, start-up time and peak memory. HEED_CPU=avx2 measures
# another instruction set. Environment: HEED_PROGRAM (build/heed), THREADS (2), ROUNDS (3), BATCH (64).
set -eu

[ $# -ge 4 ] || { sed -n '4s/^# *//p' "$0" >&2; exit 2; }
out=$1 model=$2 source=$3 reference=$4 calibration=${5:-}
heed=${HEED_PROGRAM:-build/heed}
mkdir -p "$out"
int8=$out/int8.safetensors
"$heed" quantize "$model" --out "$int8" ${calibration:+--calibrate "$calibration"}

for beam in 1 5; do
  for name in f32 int8; do
    file=$model
    [ $name = f32 ] || file=$int8
    "$heed" evaluate "$file" --source "$source" --reference "$reference" --beam $beam --threads "${THREADS:-2}" \
      --out "$out/$name.$beam.txt" --json > "$out/$name.$beam.json"
  done
  for round in $(seq "${ROUNDS:-3}"); do
    for name in f32 int8; do
      file=$model
      [ $name = f32 ] || file=$int8
      "$heed" bench translate "$file" --source "$source" --beam $beam --threads "${THREADS:-2}" --batch "${BATCH:-64}" \
        --json > "$out/speed.$name.$beam.$round.json"
    done
  done
done

python3 - "$out" "$model" "$int8" "${ROUNDS:-3}" << 'PYTHON'
import json
import os
import sys

out, model, int8, rounds = sys.argv[1:]
lines = lambda name: open(f"{out}/{name}.txt", encoding="utf-8").read().splitlines()
print(f"files: {os.path.getsize(model) / 1e6:.1f} MB in f32, {os.path.getsize(int8) / 1e6:.1f} MB in int8")
for beam in (1, 5):
    score = {name: json.load(open(f"{out}/{name}.{beam}.json")) for name in ("f32", "int8")}
    speed = {}
    for name in score:
        runs = [json.load(open(f"{out}/speed.{name}.{beam}.{i}.json")) for i in range(1, int(rounds) + 1)]
        speed[name] = max(runs, key=lambda run: run["sentences_per_second"])
        speed[name]["start_up_ms"] = min(run["start_up_ms"] for run in runs)
    equal = sum(a == b for a, b in zip(lines(f"f32.{beam}"), lines(f"int8.{beam}"), strict=True))
    print(f"beam {beam}: {100 * equal / len(lines(f'f32.{beam}')):.1f}% of the translations are equal")
    for name in score:
        s, v = score[name], speed[name]
        print(f"  {name:<4} BLEU {s['bleu']['score']:.2f} chrF {s['chrf']['score']:.2f}  {v['sentences_per_second']:.1f} sentences/s  "
              f"start-up {v['start_up_ms']:.1f} ms  peak {v['peak_rss_mb']:.0f} MB")
    print(f"  int8 - f32: BLEU {score['int8']['bleu']['score'] - score['f32']['bleu']['score']:+.2f}; "
          f"int8 is {speed['int8']['sentences_per_second'] / speed['f32']['sentences_per_second']:.2f} times as fast")
PYTHON
