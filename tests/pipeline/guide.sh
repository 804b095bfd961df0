#!/bin/bash
# Types every command of docs/guide.md, in order, and checks the lines that the guide shows below them: guide.sh ARUS ROOT
set -u
arus=$(cd "$(dirname "$1")" && pwd) root=$(cd "$2" && pwd) work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$arus:$PATH
mkdir "$work/in" && cp "$root/config/pipelines/landing.sql" "$work/" && cd "$work" || exit 1
bundles=$root/tests/exercises/inputs/bundles
pipelines=$root/config/pipelines
passed=0 failed=0 command='' shown=''

mask() { sed -E 's/\b[0-9.]+ (ms|s)\b/NN/g; s/ +NN/ NN/g; s/ +$//'; }
# What the guide shows must stand in what came, line by line and in order; `..` stands for any lines.
matches() {
    local line
    exec 3< <(printf '%s\n' "$2")
    while IFS= read -r wanted; do
        [[ $wanted == '..' || -z $wanted ]] && continue
        while IFS= read -r -u 3 line; do [[ $line == *"$wanted"* ]] && continue 2; done
        return 1
    done <<<"$1"
}
try() {
    [[ -n $command ]] || return 0
    local out
    eval "$command" >"$work/.seen" 2>&1
    out=$(mask <"$work/.seen")
    if matches "$(mask <<<"$shown")" "$out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '$ %s\n--- shown\n%s--- came\n%s\n' "$command" "$shown" "$out"
    fi
    command='' shown=''
}

while IFS= read -r line; do
    case $line in
    '$ '*) try; command=${line#\$ } ;;
    '```'*) try ;;
    *) [[ -z $command ]] || shown+=$line$'\n' ;;
    esac
done <"$root/docs/guide.md"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 20 ]]
