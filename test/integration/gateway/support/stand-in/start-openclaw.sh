#!/bin/sh
# Starts the stand-in in the background and exits once it is reachable, as the start script of a worker does.
cd "$(dirname "$0")" || exit 1
if [ -e refuse ]; then exit 78; fi
node gateway.mjs gateway --port "$1" >>gateway.log 2>&1 &
node wait.mjs "$1"
# A script that never exits is what "stuck" is about.
while [ -e linger ]; do sleep 0.05; done
