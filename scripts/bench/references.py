"""What the answers are compared with: sqlite3, DuckDB and tantivy with the same objects.

Loads a file of CSV, prints one line of JSON about each load, and then answers each line of standard
input, {"engine", "statements", "times", "maxMs"}, with {"ms": [...], "figures": [...]}: the milliseconds
of each repetition of all statements, and the last column of the first statement.
"""

import csv
import json
import os
import resource
import sqlite3
import sys
import time

FILE, FOLDER = sys.argv[1:3]
COLUMNS = {
    "id": "TEXT PRIMARY KEY",
    "region": "TEXT",
    "station": "TEXT",
    "status": "TEXT",
    "seenAt": "TIMESTAMP",
    "amount": "INTEGER",
    "weight": "DOUBLE",
    "active": "BOOLEAN",
    "title": "TEXT",
    "notes": "TEXT",
}
INDEXED = [name for name in COLUMNS if name not in ("id", "title", "notes")]


def load_sqlite():
    """One transaction, indexes after the rows, FTS5 by `rebuild`: the fastest sensible form."""
    path = os.path.join(FOLDER, "reference.db")
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("BEGIN")
    db.execute(f"CREATE TABLE item ({', '.join(f'{n} {t}' for n, t in COLUMNS.items())})")
    with open(FILE, encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines)
        next(rows)
        db.executemany(f"INSERT INTO item VALUES ({', '.join('?' for _ in COLUMNS)})", rows)
    for name in INDEXED:
        db.execute(f"CREATE INDEX item_{name} ON item ({name}, id)")
    db.execute("CREATE VIRTUAL TABLE item_text USING fts5(title, notes, content='item')")
    db.execute("INSERT INTO item_text (item_text) VALUES ('rebuild')")
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return os.path.getsize(path), lambda sql: db.execute(sql).fetchall()


def load_duckdb():
    import duckdb

    path = os.path.join(FOLDER, "reference.duckdb")
    db = duckdb.connect(path)
    db.execute("SET TimeZone = 'UTC'")
    db.execute(f"CREATE TABLE item ({', '.join(f'{n} {t}' for n, t in COLUMNS.items())})")
    types = {n: t.split()[0] for n, t in COLUMNS.items()}
    db.execute(f"INSERT INTO item SELECT * FROM read_csv('{FILE}', columns = {types})")
    db.execute("CHECKPOINT")
    return os.path.getsize(path), lambda sql: db.execute(sql).fetchall()


def load_tantivy():
    import tantivy

    path = os.path.join(FOLDER, "tantivy")
    os.mkdir(path)
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("title", "notes"):
        builder.add_text_field(name)
    index = tantivy.Index(builder.build(), path=path)
    writer = index.writer(heap_size=256_000_000)
    with open(FILE, encoding="utf-8") as lines:
        for o in csv.DictReader(lines):
            writer.add_document(tantivy.Document(id=o["id"], title=o["title"], notes=o["notes"]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def answer(text):
        if text.endswith("*"):
            query = tantivy.Query.regex_query(index.schema, "notes", f"{text[:-1]}.*")
        else:
            query = index.parse_query(text, ["notes"], conjunction_by_default=True)
        found = searcher.search(query, limit=100, count=True)
        for _, address in found.hits:
            searcher.doc(address)["id"]
        return [[found.count]]

    return sum(entry.stat().st_size for entry in os.scandir(path)), answer


def reply(message):
    print(json.dumps(message, default=str), flush=True)


def cpu_micros():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e6


engines = {}
for engine, load in {"sqlite": load_sqlite, "duckdb": load_duckdb, "tantivy": load_tantivy}.items():
    started, before = time.perf_counter(), cpu_micros()
    try:
        size, engines[engine] = load()
    except ImportError as error:
        reply({"name": engine, "missing": str(error)})
        continue
    seconds, cpu = time.perf_counter() - started, cpu_micros() - before
    reply({"name": engine, "seconds": seconds, "cpuMicros": cpu, "bytes": size})

for line in sys.stdin:
    request = json.loads(line)
    run, statements = engines[request["engine"]], request["statements"]
    times = []
    while len(times) < request["times"] and sum(times) < request["maxMs"]:
        started = time.perf_counter()
        results = [run(statement) for statement in statements]
        times.append((time.perf_counter() - started) * 1000)
    reply({"ms": times, "figures": sorted(row[-1] for row in results[0])})
