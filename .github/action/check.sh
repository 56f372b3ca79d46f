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
  if ! git merge-base "$INPUT_BASE" HEAD >/dev/null 2>&1; then
    # A shallow checkout lacks the base. On a pull request HEAD is its merge, so a little history is enough.
    git fetch --quiet --no-tags --no-recurse-submodules --depth=50 origin "$INPUT_BASE" "$(git rev-parse HEAD)" || true
  fi
  if git merge-base "$INPUT_BASE" HEAD >/dev/null 2>&1; then
    arguments+=(--base "$INPUT_BASE")
  else
    echo "::warning title=pinproof::No common history with the base is in this checkout, and it could not be fetched. Nothing was compared with it, and the configuration is that of the change itself. Use fetch-depth: 0."
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
