# needs FILE…: ends the experiment with one sentence if a file of its corpora is missing. For the other scripts here.
needs() {
  for file in "$@"; do
    [ -e "$file" ] && continue
    echo "${0##*/}: needs $file; see docs/results.md#data" >&2
    exit 1
  done
}
