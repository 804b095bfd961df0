#!/usr/bin/env python3
"""Takes one micro-batch of arus on standard input into a SQLite file, once, however often it comes: to_sqlite.py FILE"""
import json
import os
import sqlite3
import sys

query, batch = os.environ["ARUS_QUERY_ID"], int(os.environ["ARUS_BATCH_ID"])
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA synchronous = EXTRA")  # a power cut behind COMMIT takes nothing back: arus gives no batch twice that is done
database.execute("BEGIN IMMEDIATE")
database.execute("CREATE TABLE IF NOT EXISTS batches (query TEXT, batch INTEGER, PRIMARY KEY (query, batch))")
database.execute("CREATE TABLE IF NOT EXISTS events (event_id TEXT, device TEXT, event_time TEXT, value REAL)")
if database.execute("INSERT OR IGNORE INTO batches VALUES (?, ?)", (query, batch)).rowcount == 1:  # else it is in already
    database.executemany("INSERT INTO events VALUES (:event_id, :device, :event_time, :value)", map(json.loads, sys.stdin))
database.execute("COMMIT")
