#!/bin/sh
# A glossary, English to German: trains a small model on image captions (Multi30k), mines a glossary of nouns from the
# word links of the training text, and prints how many of its terms the translations of the test text have, their BLEU
# and the processor time, with and without the glossary.
#
#   tools/experiments/glossary.sh [DIRECTORY]            default: runs/glossary
#
# Environment: HEED_PROGRAM (build/heed), HEED_SHARED (../shared, with data/multi30k), THREADS (1), EPOCHS (8). A run
# that was interrupted is resumed; a finished run is not repeated.
#
# A term is an English word that is linked to one German noun at least 20 times and in at least 60% of its
# occurrences. The test text is Flickr 2016. A second glossary translates the same terms as words that the model has
# never seen, the German nouns spelled backward, and so does its reference.
set -eu

out=${1:-runs/glossary}
heed=${HEED_PROGRAM:-build/heed}
data=${HEED_SHARED:-../shared}/data/multi30k
threads=${THREADS:-1}
test=$data/test_2016_flickr
. "$(dirname "$0")/needs.sh"
needs "$data/train.en" "$data/train.de" "$data/val.en" "$data/val.de" "$test.en" "$test.de"
mkdir -p "$out"

[ -e "$out/model" ] && set -- --resume || set --
"$heed" train --out "$out/model" --threads "$threads" --train-source "$data/train.en" --train-target "$data/train.de" \
  --valid-source "$data/val.en" --valid-target "$data/val.de" --epochs "${EPOCHS:-8}" --set validation.sentences=200 \
  --set encoder.hidden=160 --set decoder.hidden=160 --set encoder.embedding=96 --set decoder.embedding=96 \
  --set readout.size=96 --set data.subwords=4000 --set data.source_language=en --set data.target_language=de \
  --set dropout.source_embedding=0.1 --set dropout.target_embedding=0.1 --set dropout.readout=0.2 \
  --set training.learning_rate=0.002 "$@"

if [ ! -e "$out/glossary.tsv" ]; then
  for side in en de; do
    "$heed" tokenize --language $side <"$data/train.$side" >"$out/train.$side"
  done
  "$heed" align --pretokenized --source "$out/train.en" --target "$out/train.de" \
    --threads "$threads" --out "$out/links"
  python3 - "$out" <<'PY'
import collections, sys
out = sys.argv[1]
read = lambda name: open(f"{out}/{name}", encoding="utf-8", newline="\n").read().splitlines()
pairs, words = collections.Counter(), collections.Counter()
for source, target, links in zip(read("train.en"), read("train.de"), read("links"), strict=True):
    source, target = source.split(), target.split()
    words.update(word.lower() for word in source)
    for link in links.split():
        i, j = map(int, link.split("-"))
        if j > 0 and source[i].isalpha() and target[j].isalpha() and target[j][0].isupper():
            pairs[source[i].lower(), target[j]] += 1
terms = sorted((s, t) for (s, t), count in pairs.items() if count >= 20 and count >= 0.6 * words[s])
with open(f"{out}/glossary.tsv", "w", encoding="utf-8") as file:
    file.writelines(f"{s}\t{t}\n" for s, t in terms)
with open(f"{out}/preferred.tsv", "w", encoding="utf-8") as file:
    file.writelines(f"{s}\t{t}\tprefer\n" for s, t in terms)
with open(f"{out}/new.tsv", "w", encoding="utf-8") as file:
    file.writelines(f"{s}\t{t[::-1].capitalize()}\n" for s, t in terms)
print(f"{len(terms)} terms", file=sys.stderr)
PY
fi

# The reference of the second glossary.
python3 - "$out" "$test" <<'PY'
import re, sys
out, test = sys.argv[1:]
read = lambda path: open(path, encoding="utf-8", newline="\n").read().splitlines()
glossary = dict(line.split("\t") for line in read(f"{out}/glossary.tsv"))
with open(f"{out}/new.de", "w", encoding="utf-8") as file:
    for source, line in zip(read(f"{test}.en"), read(f"{test}.de"), strict=True):
        wanted = [glossary[word.lower()] for word in re.findall(r"\w+", source) if word.lower() in glossary]
        for term in set(wanted):
            line = re.sub(rf"\b{term}\b", term[::-1].capitalize(), line, count=wanted.count(term))
        file.write(line + "\n")
PY

# score LABEL GLOSSARY REFERENCE OPTIONS…: GLOSSARY has the terms that are counted
score() {
  label=$1 terms=$2 reference=$3
  shift 3
  python3 - "$out" "$test" "$terms" "$reference" "$label" "$heed" "$threads" "$@" <<'PY'
import json, re, resource, subprocess, sys
out, test, terms, reference, label, heed, threads, *options = sys.argv[1:]
subprocess.run([heed, "translate", f"{out}/model", "--input", f"{test}.en", "--output", f"{out}/translated", "--threads",
                threads, *options], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
scores = subprocess.run([heed, "score", "--hypothesis", f"{out}/translated", "--reference", reference, "--json"],
                        check=True, capture_output=True, text=True).stdout
read = lambda path: open(path, encoding="utf-8", newline="\n").read().splitlines()
glossary = dict(line.split("\t") for line in read(terms))
words = lambda line: re.findall(r"\w+", line)
kept = all_terms = in_reference = kept_reference = 0
for source, translation, wanted_line in zip(read(f"{test}.en"), read(f"{out}/translated"), read(reference), strict=True):
    wanted = [glossary[word.lower()] for word in words(source) if word.lower() in glossary]
    for term in set(wanted):
        count = wanted.count(term)
        met = min(count, words(translation).count(term))
        kept, all_terms = kept + met, all_terms + count
        has = min(count, words(wanted_line).count(term))
        in_reference, kept_reference = in_reference + has, kept_reference + min(met, has)
print(f"{label:34} terms {kept}/{all_terms} ({100 * kept / all_terms:.1f}%), of those in the reference "
      f"{kept_reference}/{in_reference} ({100 * kept_reference / in_reference:.1f}%); "
      f"BLEU {json.loads(scores)['bleu']['score']:.2f}; {used.ru_utime + used.ru_stime:.1f} CPU seconds")
PY
}

mined=$out/glossary.tsv
score "without" "$mined" "$test.de"
score "glossary" "$mined" "$test.de" --glossary "$mined"
score "glossary, prefer" "$mined" "$test.de" --glossary "$out/preferred.tsv"
score "glossary, inflected" "$mined" "$test.de" --glossary "$mined" --glossary-match inflected
score "without, beam 1" "$mined" "$test.de" --beam 1
score "glossary, beam 1" "$mined" "$test.de" --beam 1 --glossary "$mined"
score "new words, without" "$out/new.tsv" "$out/new.de"
score "new words, glossary" "$out/new.tsv" "$out/new.de" --glossary "$out/new.tsv"
