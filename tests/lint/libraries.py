#!/usr/bin/env python3
"""What only some pipelines need is loaded when it is needed: the program itself must not depend on it (base/library.h)."""
import re
import subprocess
import sys

LAZY = ("librdkafka", "libcurl", "libmicrohttpd")

text = subprocess.run(["readelf", "-d", sys.argv[1]], capture_output=True, text=True, check=True).stdout
needed = re.findall(r"NEEDED.*\[(.*)\]", text)
found = [name for name in needed if name.startswith(LAZY)]
print("\n".join(f"{sys.argv[1]} depends on {name}" for name in found) or f"libraries: ok ({len(needed)})")
sys.exit(bool(found) or not needed)
