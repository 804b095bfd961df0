#!/usr/bin/env python3
"""docs/reference is what the program writes: reference.py ARUS ROOT. After a change of a table: `arus help --generate DIR`, copy DIR/reference."""
import difflib
import pathlib
import subprocess
import sys
import tempfile

arus, root = sys.argv[1], pathlib.Path(sys.argv[2])
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([arus, "help", "--generate", folder], check=True)
    made = {path.name: path.read_text() for path in pathlib.Path(folder, "reference").glob("*.md")}
kept = {path.name: path.read_text() for path in (root / "docs" / "reference").glob("*.md")}
stale = sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))
for name in stale:
    lines = difflib.unified_diff(kept.get(name, "").splitlines(), made.get(name, "").splitlines(), f"docs/reference/{name}", "made", lineterm="")
    print("\n".join(list(lines)[:12]))
print(f"{len(made) - len(stale)} passed, {len(stale)} failed")
if stale:
    print("run: scripts/write-reference ARUS")
sys.exit(bool(stale))
