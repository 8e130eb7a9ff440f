#!/bin/sh
# The one Python environment of the tests: python-packages.txt in .cache, made once in half a minute. Without Python its tests are skipped and say so.
# The packages are resolved once, by `uv pip compile`; the library `traffic` is added without what it would choose, which is 1 GB more.
set -eu
cd "$(dirname "$0")/../.."
packages=test/support/python-packages.txt
folder=.cache/python-$(sha256sum "$packages" | cut -c1-16)
[ -e "$folder/whole" ] && exit 0
rm -rf "$folder"
mkdir -p .cache
python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: uv==0.9.30
"$folder/bin/uv" pip install --quiet --no-deps --only-binary :all: --python "$folder/bin/python" -r "$packages"
touch "$folder/whole"
