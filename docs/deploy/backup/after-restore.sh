#!/bin/sh
# Makes a restored database ready for the service: waits until PostgreSQL has reached the time, asks
# providers about messages that were on their way, and checks the books. Run it with the settings of the
# service, before the service is started:
#
#   after-restore.sh TIME [END]
#
# TIME is the time to which the database was restored, and END the time at which the lost service ended.
# RESTORED_URL, or else DATABASE_URL or the file DATABASE_URL_FILE, is the address of the database for psql.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: after-restore.sh TIME [END]" >&2
    exit 2
fi
url=${RESTORED_URL:-${DATABASE_URL:-}}
if [ -z "$url" ] && [ -n "${DATABASE_URL_FILE:-}" ]; then
    url=$(cat "$DATABASE_URL_FILE")
fi
: "${url:?RESTORED_URL is the address of the restored database}"

left=${RECOVERY_SECONDS:-3600}
until [ "$(psql -wXAtc 'SELECT pg_is_in_recovery()' "$url")" = f ]; do
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
        echo "PostgreSQL has not ended its recovery in time (RECOVERY_SECONDS, an hour if it is not set): see its log" >&2
        exit 1
    fi
    sleep 1
done

atumpan reconcile --since "$1" ${2:+--until "$2"}
atumpan ledger verify
atumpan counters verify
atumpan audit verify
