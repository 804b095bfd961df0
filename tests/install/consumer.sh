#!/bin/bash
# Installs a build folder into a temporary prefix and uses arus from there, as another project would: consumer.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "consumer: $*" >&2; exit 1; }

cmake --install "$build" --prefix "$work/usr" >"$work/install.log" || { cat "$work/install.log"; fail "the installation failed"; }
pc=$(dirname "$(find "$work/usr" -name arus.pc)")
lib=$(dirname "$pc")
# The file names the prefix of the configuration; this one is asked for at the installation.
export PKG_CONFIG_PATH=$pc
pkg=(pkg-config --define-variable=prefix="$work/usr" arus)

# What is installed, and nothing else: one header, man pages, completions.
[[ $(cd "$work/usr/include" && find . -type f) == ./arus.h ]] || fail "more than arus.h is installed"
for file in bin/arus share/man/man1/arus.1 share/man/man1/arus-run.1 share/bash-completion/completions/arus \
            share/zsh/site-functions/_arus share/fish/vendor_completions.d/arus.fish lib/systemd/system/arus@.service; do
    [[ -s $work/usr/$file ]] || fail "$file is missing"
done

# The shared library (release builds have it) shows the names of the header, and no others.
programs=(static)
if [[ -e $lib/libarus.so ]]; then
    programs+=(shared)
    declared=$(grep -oE '\barus_[a-z_]+\(' "$work/usr/include/arus.h" | tr -d '(' | sort -u)
    exported=$(nm -D --defined-only "$lib/libarus.so" | awk '{print $3}' | sort -u)
    [[ $declared == "$exported" ]] || fail "exported names differ: $(diff <(echo "$declared") <(echo "$exported") || true)"
fi

# Compiled as C with warnings as errors, shared and static; the header also as C++.
flags=(-std=c17 -Wall -Wextra -pedantic -Werror)
if [[ -e $lib/libarus.so ]]; then
    cc "${flags[@]}" "$here/consumer.c" $("${pkg[@]}" --cflags --libs) -o "$work/shared"
fi
cc "${flags[@]}" "$here/consumer.c" $("${pkg[@]}" --cflags) "$lib/libarus.a" \
    $("${pkg[@]}" --libs --static | sed 's/-larus//') -o "$work/static"
if command -v c++ >/dev/null; then
    echo '#include <arus.h>' | c++ -x c++ -Wall -Wextra -pedantic -Werror $("${pkg[@]}" --cflags) -fsyntax-only -
fi

for program in "${programs[@]}"; do
    mkdir -p "$work/$program.data/in"
    printf '%s\n' '{"id": 1, "name": "ä"}' '{"id": 2, "name": null}' '{"id": -3, "name": "c"}' >"$work/$program.data/in/a.json"
    cp "$here/pipeline.sql" "$work/$program.data/"
    LD_LIBRARY_PATH=$lib "$work/$program" "$work/$program.data" || fail "the $program program failed"
done
echo "${#programs[@]} passed, 0 failed"
