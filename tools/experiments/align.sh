#!/bin/sh
# Word alignment of German and English on Europarl. Prints the alignment error rate, on gold sentences, of links from
#   - the texts alone;
#   - the attention of small models with additive, general and location attention, and of both directions symmetrized;
#   - the attention of models that were guided by the links from the texts.
#
#   tools/experiments/align.sh [PAIRS [DIRECTORY]]        default: 50000 pairs, runs/align
#
# Environment: HEED_PROGRAM (build/heed), HEED_SHARED (../shared, with data/europarl and data/wordalign), EPOCHS (8),
# THREADS (1). Runs that were interrupted are resumed; finished runs are not repeated.
#
# Pairs with more than 20 words on a side are skipped, so that small models learn in minutes. The gold sentences are from
# Europarl, so a pair is also skipped if either side equals a gold sentence, ignoring case, punctuation and spaces.
set -eu

pairs=${1:-50000}
out=${2:-runs/align}
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data
. "$(dirname "$0")/needs.sh"
needs "$data/europarl/train.de.gz" "$data/europarl/train.en.gz" "$data/europarl/dev.de" "$data/europarl/dev.en" \
  "$data/wordalign/text.de" "$data/wordalign/text.en" "$data/wordalign/gold.talp"
mkdir -p "$out"

python3 - "$data" "$out" "$pairs" <<'PY'
import gzip, sys
data, out, pairs = sys.argv[1], sys.argv[2], int(sys.argv[3])
letters = lambda line: "".join(c for c in line.lower() if c.isalnum())
gold = {
    side: {letters(line) for line in open(f"{data}/wordalign/text.{side}", encoding="utf-8")} for side in ("de", "en")
}
read = lambda side: gzip.open(f"{data}/europarl/train.{side}.gz", "rt", encoding="utf-8", newline="\n")
write = lambda name: open(f"{out}/{name}", "w", encoding="utf-8")
every = [
    (source, target)
    for source, target in zip(read("de"), read("en"))
    if letters(source) not in gold["de"] and letters(target) not in gold["en"]
]
short = [pair for pair in every if max(len(side.split()) for side in pair) <= 20][:pairs]
for name, chosen in (("raw", short), ("raw-every", every)):
    with write(f"{name}.de") as de, write(f"{name}.en") as en:
        for source, target in chosen:
            de.write(source)
            en.write(target)
print(f"{len(short)} of {len(every)} pairs; pairs with a gold sentence are skipped", file=sys.stderr)
PY
for side in de en; do
  "$heed" tokenize --language $side <"$out/raw.$side" >"$out/train.$side"
  head -n 500 "$data/europarl/dev.$side" >"$out/raw-valid.$side"
  "$heed" tokenize --language $side <"$out/raw-valid.$side" >"$out/valid.$side"
  "$heed" tokenize --language $side <"$out/raw-every.$side" >"$out/every.$side"
done

# train NAME SOURCE TARGET [OPTIONS…]
train() {
  name=$1 source=$2 target=$3
  shift 3
  "$heed" train --preset heed --resume --out "$out/$name" --epochs "${EPOCHS:-8}" --threads "${THREADS:-1}" \
    --train-source "$out/train.$source" --train-target "$out/train.$target" \
    --valid-source "$out/valid.$source" --valid-target "$out/valid.$target" \
    --set encoder.hidden=128 --set decoder.hidden=128 \
    --set encoder.embedding=128 --set decoder.embedding=128 --set readout.size=128 \
    --set data.subwords=4000 --set 'data.normalize=["nfc", "lowercase"]' --set data.max_length=50 \
    --set training.batch=32 --set training.learning_rate=0.002 --set training.schedule_from=0.4 \
    --set training.label_smoothing=0.05 --set training.ema=0 --set validation.sentences=100 \
    --set dropout.source_embedding=0.1 --set dropout.target_embedding=0.1 --set dropout.readout=0.1 "$@"
}

# score LABEL LINKS: prints the error rate of a file with links of the gold sentences.
score() {
  "$heed" align --hypothesis "$2" --gold "$data/wordalign/gold.talp" --gold-base 1 >"$out/score"
  printf '%-48s %s\n' "$1" "$(head -n 3 "$out/score" | tr -s ' \n' ' ')"
}

# attention LABEL SOURCE TARGET MODEL [OPTIONS…]: scores the links from a model's attention. The source of the gold links
# is German, so the links of a model from English to German are reversed first.
attention() {
  label=$1 source=$2 target=$3 model=$4
  shift 4
  "$heed" align "$out/$model/model.safetensors" --source "$data/wordalign/text.$source" \
    --target "$data/wordalign/text.$target" --pretokenized --out "$out/links" "$@"
  [ "$source" = de ] || sed -E -i 's/([0-9]+)-([0-9]+)/\2-\1/g' "$out/links"
  score "$label" "$out/links"
}

# alone LABEL TEXT: scores the links found from the texts alone, with the gold sentences appended to TEXT. Writes all links
# to TEXT.links.
alone() {
  for side in de en; do
    cat "$out/$2.$side" "$data/wordalign/text.$side" >"$out/all.$side"
  done
  "$heed" align --source "$out/all.de" --target "$out/all.en" --pretokenized --out "$out/$2.links"
  tail -n "$(wc -l <"$data/wordalign/text.de")" "$out/$2.links" >"$out/links"
  score "$1" "$out/links"
}

alone "texts alone" train
alone "texts alone, all pairs" every

train additive de en
train additive-reverse en de
train general de en --set attention.score=general
train location de en --set attention.score=location --set attention.max_length=80

for model in additive general location; do
  attention "$model" de en "$model"
  attention "$model, with --shift" de en "$model" --shift
done
attention "additive, English to German" en de additive-reverse
for method in intersection union grow-diag-final grow-diag-final-and; do
  attention "additive, both, $method" de en additive \
    --reverse "$out/additive-reverse/model.safetensors" --symmetrize $method
done

# Attention before the cell must guess the next word; after the cell, and one step later, the decoder has read it.
head -n "$(wc -l <"$out/train.de")" "$out/train.links" >"$out/guides"
sed -E 's/([0-9]+)-([0-9]+)/\2-\1/g' "$out/guides" >"$out/guides-reverse"
train guided de en --guided-alignment "$out/guides" --set training.guided_pretokenized=true
guide_after() {  # NAME SOURCE TARGET GUIDES
  train "$1" "$2" "$3" --guided-alignment "$out/$4" --set training.guided_pretokenized=true \
    --set training.guided_shift=true --set attention.position=after --set 'decoder.input=["embedding", "feed"]' \
    --set 'readout.parts=["state", "context"]'
}
guide_after guided-after de en guides
guide_after guided-after-reverse en de guides-reverse
attention "guided" de en guided
attention "guided after the cell" de en guided-after --shift
attention "guided after the cell, English to German" en de guided-after-reverse --shift
for method in intersection union grow-diag-final grow-diag-final-and; do
  attention "guided after the cell, both, $method" de en guided-after --shift \
    --reverse "$out/guided-after-reverse/model.safetensors" --symmetrize $method
done
attention "the same, grow-diag-final-and, threshold 0.5" de en guided-after --shift --threshold 0.5 \
  --reverse "$out/guided-after-reverse/model.safetensors" --symmetrize grow-diag-final-and
