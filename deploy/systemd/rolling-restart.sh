#!/bin/sh
# Restarts the processes of one machine one after the other, workers first, each when the one before it
# is ready again. Stops at the first that does not come back.
set -eu
for unit in $(systemctl list-units --plain --no-legend --state=active 'millrace-worker@*' 'millrace-api@*' |
  awk '{ print $1 }' | sort -r); do
  echo "restarting $unit"
  systemctl restart "$unit"
done
