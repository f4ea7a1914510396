"""Writes the Parquet files beside this script with the programs that people use.

    python3 -m venv venv && venv/bin/pip install pyarrow duckdb pyspark==3.5.4 setuptools
    venv/bin/python write-files.py

Spark needs Java 17. The files are small and kept in the repository, so that tests need none of this.
"""

import datetime as dt
import glob
import os
import shutil
import tempfile
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(HERE, name)


def arrow_files():
    types = pa.table(
        {
            "id": pa.array([1, 2, 3], pa.int64()),
            "flag": pa.array([True, None, False]),
            "small": pa.array([1, -2, 3], pa.int8()),
            "medium": pa.array([1, 2, 3], pa.int16()),
            "count": pa.array([10, 20, None], pa.int32()),
            "unsigned": pa.array([1, 2, 2**32 - 1], pa.uint32()),
            "ratio": pa.array([0.5, 0.1, None], pa.float32()),
            "weight": pa.array([0.25, 1.5, 2.0], pa.float64()),
            "price": pa.array([Decimal("12.50"), Decimal("0.99"), None], pa.decimal128(10, 2)),
            "day": pa.array([dt.date(2024, 2, 29), None, dt.date(1999, 12, 31)]),
            "at": pa.array([dt.datetime(2024, 2, 29, 12, 30, 0, 123456)] * 3, pa.timestamp("us", "UTC")),
            "clock": pa.array([dt.time(12, 30)] * 3, pa.time64("us")),
            "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
        }
    )
    pq.write_table(types, path("arrow-types.parquet"), compression="snappy")
    nested = pa.table(
        {
            "id": pa.array(["a", "b"]),
            "tags": pa.array([["x", "y"], []], pa.list_(pa.string())),
            "scores": pa.array([[1, 2], None], pa.list_(pa.int64())),
            "owner": pa.array([{"name": "Ada", "age": 36}, None]),
            "lines": pa.array([[{"sku": "p1", "count": 2}], []]),
            "deep": pa.array([{"inner": {"value": 1, "when": dt.date(2024, 1, 2)}}, None]),
        }
    )
    pq.write_table(nested, path("arrow-nested.parquet"), compression="zstd")
    binary = pa.table({"id": pa.array([1, 2]), "photo": pa.array([b"\x89PNG", b"\xff\xd8"], pa.binary())})
    pq.write_table(binary, path("arrow-binary.parquet"), compression="gzip")
    int96 = pa.table(
        {"id": pa.array([1, 2], pa.int32()), "at": pa.array([dt.datetime(2024, 2, 29, 12, 30), None], pa.timestamp("ns"))}
    )
    pq.write_table(int96, path("arrow-int96.parquet"), use_deprecated_int96_timestamps=True)
    empty = pa.table({"code": pa.array(["a", "b"]), "note": pa.array([None, None], pa.string()), "gap": pa.nulls(2)})
    pq.write_table(empty, path("arrow-empty-columns.parquet"), compression="brotli")


def duckdb_files():
    connection = duckdb.connect()
    query = """SELECT range AS id, 'name ' || range AS name, (range * 1.5)::DECIMAL(18, 3) AS amount,
        range::HUGEINT AS huge, DATE '2024-01-01' + range::INTEGER AS day, [range, range + 1] AS list,
        {'x': range, 'y': 'z'} AS point, uuid() IS NOT NULL AS yes, TIMESTAMP '2024-01-01 10:00:00' AS at,
        gen_random_uuid()::VARCHAR IS NULL AS no, 'small'::ENUM('small', 'large') AS size
        FROM range(3)"""
    for codec in ("snappy", "zstd"):
        connection.execute(f"COPY ({query}) TO '{path(f'duckdb-{codec}.parquet')}' (FORMAT parquet, COMPRESSION {codec})")
    connection.execute(
        f"COPY (SELECT 'k' || range AS key, MAP {{'a': range, 'b': 2}} AS pairs FROM range(2)) "
        f"TO '{path('duckdb-map.parquet')}' (FORMAT parquet)"
    )


def spark_files():
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.parquet.outputTimestampType", "INT96")
        .getOrCreate()
    )
    frame = spark.sql(
        """SELECT CAST(id AS INT) AS id, CONCAT('n', id) AS name, CAST(id * 1.25 AS DECIMAL(12, 2)) AS amount,
        TIMESTAMP '2024-02-29 12:30:00' AS at, DATE '2024-02-29' AS day, ARRAY(id, id + 1) AS numbers,
        NAMED_STRUCT('street', 'Main', 'number', CAST(id AS SMALLINT)) AS address FROM RANGE(3)"""
    )
    for name, codec in (("spark-int96.parquet", "snappy"), ("spark-gzip.parquet", "gzip")):
        folder = tempfile.mkdtemp()
        frame.coalesce(1).write.mode("overwrite").option("compression", codec).parquet(folder)
        shutil.copy(glob.glob(os.path.join(folder, "part-*.parquet"))[0], path(name))
        shutil.rmtree(folder)
    legacy = spark.sql("SELECT CAST(id AS INT) AS id, ARRAY(CAST(id AS STRING)) AS names, CAST(id AS BINARY) AS raw FROM RANGE(2)")
    spark.conf.set("spark.sql.parquet.writeLegacyFormat", "true")
    folder = tempfile.mkdtemp()
    legacy.coalesce(1).write.mode("overwrite").parquet(folder)
    shutil.copy(glob.glob(os.path.join(folder, "part-*.parquet"))[0], path("spark-legacy.parquet"))
    shutil.rmtree(folder)
    spark.stop()


arrow_files()
duckdb_files()
spark_files()
