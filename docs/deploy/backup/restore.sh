#!/bin/sh
# Restores a base backup, and the log after it up to a time, into an empty folder. Run it as the account of
# PostgreSQL, and start PostgreSQL on the folder afterwards:
#
#   restore.sh BASE ARCHIVE DATA TIME
#
# TIME is such as 2026-11-28T10:15:00Z. Without it everything is restored that the archive has.
set -eu

if [ $# -lt 3 ] || [ $# -gt 4 ]; then
    echo "usage: restore.sh BASE ARCHIVE DATA [TIME]" >&2
    exit 2
fi
base=$1 archive=$2 data=$3 time=${4-}

case $archive$time in
    *[\'\"\\%]*)
        echo "quotes, backslashes and percent signs are not supported in $archive $time" >&2
        exit 2
        ;;
esac
case $archive in
    /*) ;;
    *)
        echo "$archive is not an absolute path" >&2
        exit 2
        ;;
esac
if [ -e "$data" ] && [ -n "$(ls -A "$data")" ]; then
    echo "$data is not empty" >&2
    exit 1
fi
for part in "$base"/[0-9]*.tar.gz; do
    if [ -e "$part" ]; then
        echo "$part is a tablespace, which this script does not restore" >&2
        exit 1
    fi
done

umask 077
mkdir -p "$data"
chmod 700 "$data"
tar -xzf "$base/base.tar.gz" -C "$data"
{
    printf "restore_command = 'cp \"%s/%%f\" \"%%p\"'\n" "$archive"
    printf "recovery_target_action = 'promote'\n"
    # Two clusters must never write to one archive, and this one may be a rehearsal.
    printf "archive_mode = off\n"
    if [ -n "$time" ]; then
        # PostgreSQL knows no names of time zones at that place.
        case $time in *Z) time=${time%Z}+00 ;; esac
        printf "recovery_target_time = '%s'\n" "$time"
    fi
} >>"$data/postgresql.auto.conf"
: >"$data/recovery.signal"
