/**
 * The ceiling of an import into PostgreSQL: the rows of an imported type, copied into an equal table
 * by one COPY in key order, with indexes that are built once at the end. Nothing is parsed, checked
 * or cut into terms.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { runSql } from '../../test/support/postgres.ts'
import type { LoadCost } from './load.ts'

const COPY = 'copy_of_objects'

/** Copies the object table of the only type of a database by way of a file. */
export async function loadPostgresCeiling(url: string, file: string): Promise<LoadCost> {
  const table = await objectTable(url)
  const indexes = await runSql(url, `SELECT indexdef FROM pg_indexes WHERE tablename = '${table}'`)
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const rows = `COPY (SELECT * FROM ${table} ORDER BY pk) TO STDOUT (FORMAT binary)`
    await pipeline(client.query(copyTo(rows)), createWriteStream(file))
    await client.query('CHECKPOINT')

    const started = performance.now()
    await client.query(`CREATE TABLE ${COPY} (LIKE ${table} INCLUDING DEFAULTS)`)
    const target = client.query(copyFrom(`COPY ${COPY} FROM STDIN (FORMAT binary)`))
    await pipeline(createReadStream(file), target)
    for (const { indexdef } of indexes) {
      await client.query(String(indexdef).replaceAll(table, COPY))
    }
    const seconds = (performance.now() - started) / 1000
    return { seconds, cpuMicros: Number.NaN, bytes: await tableBytes(url, COPY) }
  } finally {
    await client.end()
  }
}

/** Returns the size of the object table of the only type of a database, with its indexes. */
export async function postgresBytes(url: string): Promise<number> {
  return tableBytes(url, await objectTable(url))
}

async function objectTable(url: string): Promise<string> {
  // The import of a whole type is published in a table of its own.
  const sql = "SELECT max(id) AS id FROM oqs_object_table WHERE is_created AND state = 'published'"
  return `oqs_object_${(await runSql(url, sql))[0]?.['id']}`
}

async function tableBytes(url: string, table: string): Promise<number> {
  const [row] = await runSql(url, `SELECT pg_total_relation_size('${table}') AS bytes`)
  return Number(row?.['bytes'])
}
