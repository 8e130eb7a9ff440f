#!/bin/sh
# The installed command: starts Node with the settings that the memory of a service depends on. They must be there before Node starts.

# By default glibc keeps freed memory in an arena per thread and mixes large buffers with small ones, which wastes 50 to 90 MB.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}" MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-262144}"

case "$1 $2" in
  # By default the young generation of the main thread grows to 32 MB, and V8 maps its own code twice: 16 to 28 MB.
  'start '*) flags='--max-semi-space-size=2 --no-short-builtin-calls' ;;
  # A fold of the cluster folds in its main thread: with this first heap limit a tenth more frames.
  'service fold') flags=--initial-old-space-size=256 ;;
  *) flags= ;;
esac

# npm installs a link to this file.
folder=$(dirname "$(realpath "$0")")
# Without quotes: the flags are words.
exec node $flags "$folder/../../dist/infra/cli/squitter.js" "$@"
