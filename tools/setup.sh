#!/bin/sh
# Installs the Debian packages that a task needs; does nothing if they are installed.
# usage: tools/setup.sh build|format|tidy|fuzz|web|serve|load|documents|cluster|torture|reference|sentences|packages
set -eu

case "${1:-}" in
  build) packages="g++ cmake ninja-build pkg-config libdnnl-dev libhwy-dev libfmt-dev libtomlplusplus-dev
    nlohmann-json3-dev zlib1g-dev libzstd-dev liblzma-dev libxml2-dev libgumbo-dev libxxhash-dev libicu-dev libsentencepiece-dev
    librsvg2-dev libedit-dev libboost-dev libcld2-dev
    fonts-noto-core fonts-droid-fallback fonts-symbola libgtest-dev libbenchmark-dev python3 curl" ;;
  format) packages="clang-format" ;;
  tidy) packages="clang-tidy" ;;
  fuzz) packages="clang libclang-rt-dev libomp-dev" ;;
  web) packages="chromium chromium-driver python3-selenium" ;;
  serve)
    packages="chromium chromium-driver python3-selenium"
    command -v node > /dev/null || packages="$packages nodejs"
    command -v npm > /dev/null || packages="$packages npm" ;;
  documents) packages="libreoffice-writer gettext libxml2-utils" ;;
  cluster) packages="libopenmpi-dev openmpi-bin" ;;
  torture) packages="strace util-linux libxxhash0" ;;
  reference) packages="python3-torch python3-numpy libopenblas0" ;;
  sentences) packages="python3-icu" ;;
  load) packages="slowhttptest util-linux" ;;
  packages) packages="dpkg-dev binutils xz-utils lintian" ;;
  *) echo "usage: tools/setup.sh build|format|tidy|fuzz|web|serve|load|documents|cluster|torture|reference|sentences|packages" >&2; exit 2 ;;
esac

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
  echo "setup: this is not a Debian system; install the equivalents of these Debian packages:" $packages >&2
  exit 0
fi

installed=" $(dpkg-query -W -f '${Package} ${Status}\n' $packages 2> /dev/null | sed -n 's/ install ok installed$//p' | tr '\n' ' ')"
missing=""
for package in $packages; do
  case "$installed" in *" $package "*) ;; *) missing="$missing $package" ;; esac
done
[ -n "$missing" ] || exit 0

root=""
[ "$(id -u)" = 0 ] || root="sudo"
if [ -n "$root" ] && ! command -v sudo > /dev/null; then
  echo "setup: run as root: apt-get install$missing" >&2
  exit 1
fi
echo "setup: installing$missing" >&2
log=$(mktemp)
if ! { $root apt-get update -q && $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing; } > "$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "setup: apt-get could not install$missing (the end of its output is above)" >&2
  exit 1
fi
rm -f "$log"
