#!/usr/bin/env python3
"""The cases of tests/cases that need Kafka, each carried out with a broker of our own."""
import json
import os
import pathlib
import subprocess
import sys

import cluster

cluster.start_again_with_kafka()

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases"


def main():
    names = sorted(p.parent.name for p in CASES.glob("BR-*/case.json") if "kafka" in json.loads(p.read_text()).get("needs", []))
    broker = cluster.Broker()
    sys.exit(subprocess.run([sys.executable, str(CASES / "run-cases"), *names], env={**os.environ, "ARUS_BROKER": broker.servers}).returncode)


main()
