#!/usr/bin/env bash
# A PgBouncer that hands out connections by transaction, three at most, on a free port of 127.0.0.1, in front of a PostgreSQL of 127.0.0.1.
# Prints its URL on stdout.
#
#   scripts/services/pgbouncer.sh install | list | start [name] | stop [name] | kill [name] | restart [name] | url [name] | status [name]
#
# MNEME_POSTGRES_BEHIND is the URL of that PostgreSQL, as postgres.sh prints it: its user and password are the pooler's too. Debian's package,
# 1.18, which knows nothing of statements with names (max_prepared_statements came with 1.21).
SVC=pgbouncer
. "$(dirname "$(readlink -f "$0")")/lib.sh"
BIN=/usr/sbin/pgbouncer

do_install() { if [ ! -x "$BIN" ]; then with_lock "$SVC_HOME/pgbouncer" apt_install pgbouncer; fi; }

as_another_user

answers() { exec 3<>"/dev/tcp/127.0.0.1/$1"; }

run_server() {
  local name=$1 dir=$2 port=$3 url=$4 pid
  (cd / && exec "${AS_USER[@]}" setsid "$BIN" "$dir/pgbouncer.ini") >>"$dir/out" 2>&1 </dev/null 9>&- &
  pid=$!
  if ! WAIT_PID=$pid wait_for 20 eval "( answers $port )"; then
    tail -n 5 "$dir/out" >&2; kill -9 "$pid" 2>/dev/null || true; return 1
  fi
  state_put "$name" "pid=$pid" "dir=$dir" "port=$port" "url=$url"
}

do_start() {
  local name=$1 dir port behind=${MNEME_POSTGRES_BEHIND:-} pattern='^postgres://([^:@/]+):([^@/]+)@127\.0\.0\.1:([0-9]+)/([^/?]+)$'
  [[ "$behind" =~ $pattern ]] || die "MNEME_POSTGRES_BEHIND is not postgres://USER:PASSWORD@127.0.0.1:PORT/DATABASE"
  local user=${BASH_REMATCH[1]} secret=${BASH_REMATCH[2]} server=${BASH_REMATCH[3]} database=${BASH_REMATCH[4]}
  dir=$(new_run_dir "$name"); port=$(free_port)
  (
    umask 077
    printf '"%s" "%s"\n' "$user" "$secret" >"$dir/users"
    cat >"$dir/pgbouncer.ini" <<INI
[databases]
* = host=127.0.0.1 port=$server
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = scram-sha-256
auth_file = $dir/users
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
INI
  )
  if [ "$(id -u)" = 0 ]; then chown -R "$OS_USER" "$dir"; fi
  if ! run_server "$name" "$dir" "$port" "postgres://$user:$secret@127.0.0.1:$port/$database"; then rm -rf "$dir"; return 1; fi
}

do_resume() { run_server "$1" "$(state_get "$1" dir)" "$(state_get "$1" port)" "$(state_get "$1" url)"; }

svc_main "$@"
