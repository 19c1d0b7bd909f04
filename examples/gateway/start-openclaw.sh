#!/bin/sh
# Starts the stand-in in the background and exits once it is reachable, as the start script of a real worker does.
rm -f reachable
node "$1" "$2" &
echo $! >gateway.pid
until [ -e reachable ]; do
  kill -0 $! || exit 1
  sleep 0.1
done
sleep 0.6
