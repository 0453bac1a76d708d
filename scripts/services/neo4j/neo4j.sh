#!/usr/bin/env bash
# A Neo4j 5.26 (community, in one Java process) that speaks Bolt on a free port of 127.0.0.1, with a random password.
# Prints bolt://neo4j:PASSWORD@127.0.0.1:PORT on stdout.
#
#   scripts/services/neo4j/neo4j.sh install | list | start [name] | stop [name] | kill [name] | restart [name] | url [name] | status [name]
#
# Needs a JDK of at least version 17, and Maven. Takes some ten seconds to start, and 400 MB.
SVC=neo4j
HERE=$(dirname "$(readlink -f "$0")")
. "$HERE/../lib.sh"
# A clean end takes over ten seconds. What was acknowledged survives this one too.
STOP_SIGNAL=KILL
APP="$SVC_CACHE/neo4j-$(cat "$HERE/pom.xml" "$HERE/Launcher.java" | sha256sum | cut -c1-12)"

install_unlocked() {
  if [ -e "$APP/classes/Launcher.class" ]; then return 0; fi
  if ! command -v javac >/dev/null || ! command -v mvn >/dev/null; then apt_install openjdk-17-jdk-headless maven; fi
  local tmp; tmp=$(mktemp -d "$SVC_CACHE/.mvn.XXXXXX"); cp "$HERE/pom.xml" "$HERE/Launcher.java" "$tmp/"
  log "mvn dependency:copy-dependencies"
  if ! (cd "$tmp" && mvn -q -B -ntp dependency:copy-dependencies -DoutputDirectory=lib >mvn.log 2>&1); then
    tail -n 5 "$tmp/mvn.log" >&2; rm -rf "$tmp"; die "mvn failed"
  fi
  if ! javac -cp "$tmp/lib/*" -d "$tmp/classes" "$tmp/Launcher.java" >&2; then rm -rf "$tmp"; die "javac failed"; fi
  rm -rf "$APP"; mv "$tmp" "$APP"
}

do_install() { with_lock "$SVC_HOME/neo4j" install_unlocked; }

# run_server NAME DIR PORT SECRET NEW_SECRET : until it answers. A folder that was used before has its secret, so NEW_SECRET is empty.
run_server() {
  local name=$1 dir=$2 port=$3 secret=$4 new_secret=$5 pid given=()
  if [ -n "$new_secret" ]; then given=("NEO4J_PASSWORD=$new_secret"); fi
  # The serial collector and the first compiler only: a quicker start and a smaller process.
  env "${given[@]}" setsid java -Xms128m -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED \
    -cp "$APP/classes:$APP/lib/*" Launcher "$port" "$dir/data" >"$dir/out" 2>&1 </dev/null 9>&- &
  pid=$!
  if ! WAIT_PID=$pid wait_for 120 grep -q '^READY' "$dir/out"; then
    tail -n 8 "$dir/out" >&2; kill -9 "$pid" 2>/dev/null || true; return 1
  fi
  state_put "$name" "pid=$pid" "dir=$dir" "port=$port" "secret=$secret" "url=bolt://neo4j:$secret@127.0.0.1:$port"
}

do_start() {
  local dir secret; dir=$(new_run_dir "$1"); mkdir "$dir/data"; secret=$(random_password)
  if ! run_server "$1" "$dir" "$(free_port)" "$secret" "$secret"; then rm -rf "$dir"; return 1; fi
}

do_resume() { run_server "$1" "$(state_get "$1" dir)" "$(state_get "$1" port)" "$(state_get "$1" secret)" ''; }

svc_main "$@"
