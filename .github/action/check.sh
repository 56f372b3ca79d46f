#!/usr/bin/env bash
# The step "Check" of action.yml: one run of pinproof, read as annotations, job summary and SARIF.
set -euo pipefail

arguments=(check --format github)
if [ "$INPUT_STATIC" = true ]; then arguments+=(--static); fi
if [ -n "$INPUT_CONFIG" ]; then arguments+=(--config "$INPUT_CONFIG"); fi
if [ -n "$INPUT_REQUIRE" ]; then arguments+=(--require "$INPUT_REQUIRE"); fi
if [ -n "$INPUT_FAIL_ON" ]; then arguments+=(--fail-on "$INPUT_FAIL_ON"); fi
if [ -n "$INPUT_SARIF" ]; then arguments+=(--report "sarif=$INPUT_SARIF"); fi

if [ -n "$INPUT_BASE" ] && [ "$INPUT_BASE" != none ]; then
  if ! git cat-file -e "$INPUT_BASE^{commit}" 2>/dev/null; then
    # A shallow checkout lacks the base; its one commit is enough to compare the two files.
    git fetch --quiet --no-tags --no-recurse-submodules --depth=1 origin "$INPUT_BASE" || true
  fi
  if git cat-file -e "$INPUT_BASE^{commit}" 2>/dev/null; then
    arguments+=(--base "$INPUT_BASE")
  else
    echo "::warning title=pinproof::The base is not in this checkout and could not be fetched, so nothing was compared with it."
  fi
fi
if [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = true ]; then
  echo "::notice title=pinproof::This checkout is shallow: history is not in it, so whether a commit landed on a branch cannot be told here. Use fetch-depth: 0 to have that checked."
fi

mapfile -t paths < <(printf '%s\n' "$INPUT_PATH" | sed '/^[[:space:]]*$/d')
code=0
"$PINPROOF" "${arguments[@]}" -- "${paths[@]}" || code=$?
{
  echo "exit-code=$code"
  if [ -n "$INPUT_SARIF" ] && [ -s "$INPUT_SARIF" ]; then echo "sarif=$INPUT_SARIF"; fi
} >> "$GITHUB_OUTPUT"
exit "$code"
