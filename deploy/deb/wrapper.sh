#!/bin/sh
# Starts Vedette with Node, from the package's own folder. VEDETTE_NODE names another Node than the one in PATH.
lib=${0%/*}/../lib/vedette
[ -e "$lib/package.json" ] || lib=/usr/lib/vedette
node=${VEDETTE_NODE:-node}
if ! command -v "$node" >/dev/null; then
  echo "@NAME@: cannot find '$node'. Install Node 20 or newer (apt install nodejs), or set VEDETTE_NODE=/path/to/node" >&2
  exit 127
fi
exec "$node" "$lib/@SCRIPT@" "$@"
