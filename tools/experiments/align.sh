#!/bin/sh
# Word alignment on Europarl: trains small models with additive, general and location attention on German-English pairs
# and prints the alignment error rate of each on the gold sentences; then both directions symmetrised; then a model
# guided by those links.
#
#   tools/experiments/align.sh [PAIRS [DIRECTORY]]        50000 pairs, runs/align
#
# Settings: HEED (build/heed), HEED_SHARED (../shared, with data/europarl and data/wordalign), EPOCHS (10), THREADS (0:
# all cores), HIDDEN (256), EMBEDDING (256). A run that is done or was stopped is not begun anew.
#
# The gold sentences are Europarl text: a pair is left out of training where either side has the letters and digits of a
# gold sentence, whatever its case and punctuation. Pairs with a side of more than 35 words between spaces are passed over
# as well, so that tokens are at most 45 and location attention scores 46 positions, the end symbol included; the longest
# gold sentence has 40 words.
set -eu

pairs=${1:-50000}
out=${2:-runs/align}
heed=${HEED:-build/heed}
data=${HEED_SHARED:-../shared}/data
epochs=${EPOCHS:-10}
hidden=${HIDDEN:-256}
embedding=${EMBEDDING:-256}
mkdir -p "$out"

python3 - "$data" "$out" "$pairs" <<'PY'
import gzip, sys
data, out, pairs = sys.argv[1], sys.argv[2], int(sys.argv[3])
letters = lambda line: "".join(c for c in line.lower() if c.isalnum())
gold = {
    side: {letters(line) for line in open(f"{data}/wordalign/text.{side}", encoding="utf-8")} for side in ("de", "en")
}
read = lambda side: gzip.open(f"{data}/europarl/train.{side}.gz", "rt", encoding="utf-8", newline="\n")
kept = dropped = 0
with open(f"{out}/raw.de", "w", encoding="utf-8") as de, open(f"{out}/raw.en", "w", encoding="utf-8") as en:
    for source, target in zip(read("de"), read("en")):
        if kept == pairs:
            break
        if max(len(source.split()), len(target.split())) > 35:
            continue
        if letters(source) in gold["de"] or letters(target) in gold["en"]:
            dropped += 1
            continue
        de.write(source)
        en.write(target)
        kept += 1
print(f"{kept} pairs; {dropped} left out because they are gold sentences", file=sys.stderr)
PY
for side in de en; do
  "$heed" tokenize --language $side <"$out/raw.$side" >"$out/train.$side"
  "$heed" tokenize --language $side <"$data/europarl/dev.$side" | head -n 500 >"$out/valid.$side"
done

# train NAME SOURCE TARGET [settings…]
train() {
  name=$1 source=$2 target=$3
  shift 3
  "$heed" train --preset heed --resume --out "$out/$name" --epochs "$epochs" --threads "${THREADS:-0}" \
    --train-source "$out/train.$source" --train-target "$out/train.$target" \
    --valid-source "$out/valid.$source" --valid-target "$out/valid.$target" \
    --set data.tokeniser=whitespace --set 'data.normalise=["nfc", "lowercase"]' \
    --set data.max_length=45 --set data.min_frequency=2 --set data.max_words=30000 \
    --set encoder.hidden="$hidden" --set decoder.hidden="$hidden" \
    --set encoder.embedding="$embedding" --set decoder.embedding="$embedding" --set readout.size="$embedding" \
    --set dropout.source_embedding=0.2 --set dropout.target_embedding=0.2 --set dropout.readout=0.2 "$@"
}

# score LABEL SOURCE TARGET MODEL [flags…]: against the gold links, whose source is German. Those of a model from
# English to German are turned round first.
score() {
  label=$1 source=$2 target=$3 model=$4
  shift 4
  "$heed" align "$out/$model/model.safetensors" --source "$data/wordalign/text.$source" \
    --target "$data/wordalign/text.$target" --pretokenized --out "$out/links" "$@"
  [ "$source" = de ] || sed -E -i 's/([0-9]+)-([0-9]+)/\2-\1/g' "$out/links"
  printf '%-44s ' "$label"
  "$heed" align --hypothesis "$out/links" --gold "$data/wordalign/gold.talp" --gold-base 1 | tr '\n' ' ' |
    sed -E 's/ +/ /g; s/lower is better.*//'
  echo
}

additive="--set attention.score=additive"
train additive de en $additive
train additive-reverse en de $additive
train general de en --set attention.score=general --set attention.place=after \
  --set 'decoder.input=["embedding", "feed"]' --set 'readout.parts=["state", "context"]'
train location de en --set attention.score=location --set attention.max_length=46

for model in additive general location; do
  score "$model" de en $model
  score "$model, the step after each word" de en $model --shift
done
score "additive, English to German" en de additive-reverse
for method in intersection union grow-diag-final grow-diag-final-and; do
  score "additive, both, $method" de en additive \
    --reverse "$out/additive-reverse/model.safetensors" --symmetrise $method
done

# The links that the two directions agree on become what a new model is taught to attend to.
"$heed" align "$out/additive/model.safetensors" --reverse "$out/additive-reverse/model.safetensors" --pretokenized \
  --symmetrise grow-diag-final --source "$out/train.de" --target "$out/train.en" --out "$out/train.links"
sed -E 's/([0-9]+)-([0-9]+)/\2-\1/g' "$out/train.links" >"$out/train.links-reverse"
train guided de en $additive --guided-alignment "$out/train.links"
train guided-reverse en de $additive --guided-alignment "$out/train.links-reverse"
score "additive, guided" de en guided
for method in intersection grow-diag-final grow-diag-final-and; do
  score "additive, guided, both, $method" de en guided \
    --reverse "$out/guided-reverse/model.safetensors" --symmetrise $method
done
