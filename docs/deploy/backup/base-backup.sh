#!/bin/sh
# Takes a base backup into a new folder, whose path it prints:
#
#   base-backup.sh /var/backups/atumpan/base [CONNECTION]
#
# CONNECTION is the address of a role that may replicate; without it, the variables of libpq count.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: base-backup.sh FOLDER [CONNECTION]" >&2
    exit 2
fi
name=$(date -u +%Y%m%dT%H%M%SZ)
unfinished=$1/.$name.$$
trap 'rm -rf "$unfinished"' EXIT
umask 077
pg_basebackup --pgdata="$unfinished" --format=tar --gzip --wal-method=fetch --checkpoint=fast \
    --no-password ${2:+--dbname="$2"}
# The folder has its name only when it is complete.
mv "$unfinished" "$1/$name"
sync
printf '%s\n' "$1/$name"
