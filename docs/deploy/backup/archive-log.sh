#!/bin/sh
# Copies a file of PostgreSQL's log into an archive. In postgresql.conf, with absolute paths:
#
#   archive_mode = on
#   archive_timeout = 60
#   archive_command = '/usr/local/lib/atumpan/archive-log.sh /var/backups/atumpan/log %p %f'
set -eu

if [ $# -ne 3 ]; then
    echo "usage: archive-log.sh ARCHIVE PATH NAME" >&2
    exit 2
fi
archive=$1 path=$2 kept=$1/$3

# After a crash PostgreSQL archives a file again. A different file of that name is of another cluster.
if [ -e "$kept" ]; then
    cmp -s "$path" "$kept" && exit 0
    echo "$kept exists and differs from $path" >&2
    exit 1
fi
unfinished=$archive/.$3.$$
trap 'rm -f "$unfinished"' EXIT
cp "$path" "$unfinished"
# PostgreSQL removes its own file afterwards, so the copy must survive a power failure.
sync "$unfinished"
mv "$unfinished" "$kept"
sync "$archive"
