#!/bin/sh
# Protected spans, English to German: trains two small models on image captions (Multi30k) and software texts
# (LibreOffice), one of them with data.placeholders, and prints how many spans of software texts each keeps, with and
# without protection, and the BLEU of both texts.
#
#   tools/experiments/protect.sh [DIRECTORY]             default: runs/protect
#
# Environment: HEED_PROGRAM (build/heed), HEED_SHARED (../shared, with data/multi30k and data/libreoffice), THREADS (1),
# PAIRS (12000: of each text), EPOCHS (5). Runs that were interrupted are resumed; finished runs are not repeated.
#
# The test texts are Multi30k's validation text and 500 pairs of LibreOffice's training text that have a span which both
# sides share; neither side occurs in what is trained on, ignoring case, punctuation and spaces.
set -eu

out=${1:-runs/protect}
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data
threads=${THREADS:-1}
. "$(dirname "$0")/needs.sh"
needs "$data/multi30k/train.en" "$data/multi30k/train.de" "$data/multi30k/val.en" "$data/multi30k/val.de" \
  "$data/libreoffice/train.en.gz" "$data/libreoffice/train.de.gz"
mkdir -p "$out"

python3 - "$data" "$out" "${PAIRS:-12000}" <<'PY'
import gzip, random, re, sys
data, out, pairs = sys.argv[1], sys.argv[2], int(sys.argv[3])
letters = lambda line: "".join(c for c in line.lower() if c.isalpha())
def read(path):
    opened = gzip.open if path.endswith(".gz") else open
    return opened(path, "rt", encoding="utf-8", newline="\n").read().splitlines()
def write(name, chosen):
    for k, side in enumerate(("en", "de")):
        with open(f"{out}/{name}.{side}", "w", encoding="utf-8") as file:
            file.writelines(pair[k] + "\n" for pair in chosen)
chosen = {}
for source, target in zip(*(read(f"{data}/libreoffice/train.{side}.gz") for side in ("en", "de"))):
    if 3 <= len(source.split()) <= 10 and letters(source):
        chosen.setdefault(letters(source), (source, target))
chosen = list(chosen.values())
random.Random(1).shuffle(chosen)
span = re.compile(r"%[A-Z]{2,}|%[sd]\b|\$\(\w+\)|\{\w+\}|\$\{\w+\}|\w+://\S+|(?<![\w.,])\d+(?:[.,:/]\d+)*(?![\w.,])")
shared = lambda pair: set(span.findall(pair[0])) & set(span.findall(pair[1]))
test = [pair for pair in chosen if shared(pair)][:500]
held_out = {letters(side) for pair in test for side in pair}
train = [pair for pair in chosen if not {letters(side) for side in pair} & held_out][:pairs]
captions = list(zip(*(read(f"{data}/multi30k/train.{side}") for side in ("en", "de"))))
train += random.Random(1).sample(captions, pairs)
random.Random(2).shuffle(train)
write("train", train)
write("test", test)
print(f"{len(train)} training pairs, {len(test)} test pairs", file=sys.stderr)
PY

# train NAME OPTIONS…
train() {
  name=$1
  shift
  [ -e "$out/$name" ] && set -- "$@" --resume
  "$heed" train --out "$out/$name" --threads "$threads" --train-source "$out/train.en" --train-target "$out/train.de" \
    --valid-source "$data/multi30k/val.en" --valid-target "$data/multi30k/val.de" --epochs "${EPOCHS:-5}" \
    --set validation.sentences=200 --set encoder.hidden=160 --set decoder.hidden=160 --set encoder.embedding=96 \
    --set decoder.embedding=96 --set readout.size=96 --set data.subwords=4000 --set data.source_language=en \
    --set data.target_language=de --set dropout.source_embedding=0.1 --set dropout.target_embedding=0.1 \
    --set dropout.readout=0.2 --set training.learning_rate=0.002 "$@"
}

# score MODEL LABEL OPTIONS…: spans kept, and BLEU on both texts
score() {
  name=$1 label=$2
  shift 2
  for text in "$out/test" "$data/multi30k/val"; do
    "$heed" translate "$out/$name" --input "$text.en" --output "$out/translated" --threads "$threads" "$@"
    "$heed" translate "$out/$name" --input "$text.en" --output "$out/spans.json" --threads "$threads" --json  # names the spans
    "$heed" score --hypothesis "$out/translated" --reference "$text.de" --json >"$out/scores.json"
    python3 - "$out" "$label" "$text" <<'PY'
import json, re, sys
out, label, text = sys.argv[1:]
bleu = json.load(open(f"{out}/scores.json"))["bleu"]["score"]
lines = [json.loads(line) for line in open(f"{out}/spans.json", encoding="utf-8")]
translations = open(f"{out}/translated", encoding="utf-8", newline="\n").read().splitlines()
def count(span, line):  # numbers only as words of their own
    edge = r"[^\W_]" if span["kind"] in ("number", "date", "quantity") else r"\d"
    return len(re.findall(f"(?<!{edge}){re.escape(span['text'])}(?!{edge})", line))
# Spans of which the translation has as many as the source; numbers, then others.
kept, all_spans, guessed = [0, 0], [0, 0], sum(w["kind"] == "unaligned" for line in lines for w in line["warnings"])
for line, translation in zip(lines, translations, strict=True):
    for span in line.get("protected", []):
        kind = span["kind"] not in ("number", "date", "quantity")
        all_spans[kind] += 1
        kept[kind] += count(span, line["source"]) == count(span, translation)
shown = lambda k: f"{kept[k]}/{all_spans[k]}" + (f" ({100 * kept[k] / all_spans[k]:.1f}%)" if all_spans[k] else "")
print(f"{label:38} {text.rsplit('/')[-1]:5} BLEU {bleu:6.2f}  numbers kept {shown(0)}, others {shown(1)}; {guessed} positions are guesses with protection")
PY
  done
}

train attention
train placeholders --set data.placeholders=true
score attention "without protection" --no-protect
score attention "attention" --protect
score placeholders "data.placeholders, without protection" --no-protect
score placeholders "data.placeholders" --protect
