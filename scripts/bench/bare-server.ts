/**
 * The lower bounds that the service is compared with, in a process of their own: bare node:http that
 * sends a constant page, or the rows after a key as plain SQL returns them.
 *
 * Arguments: a file with the constant page, and a store as in `OQS_STORE`.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { AS_BYTES, freeRows } from '../../src/store/postgres/driver/byte-rows.ts'
import { makePool } from '../../src/store/postgres/driver/connection-pool.ts'

const RID = '{"rid":"ri.phonograph2-objects.main.object.'

type ReadPage = (pageSize: number, afterKey: string) => Uint8Array | Promise<Uint8Array>

const [constantFile = '', store = ''] = process.argv.slice(2)
const constantPage = readFileSync(constantFile)
const readPage = store.startsWith('sqlite:')
  ? sqlitePages(store.slice('sqlite:'.length))
  : await postgresPages(store)

const server = createServer(async ({ url = '' }, response) => {
  const [, kind, pageSize, afterKey = ''] = url.split('/')
  const page = kind === 'constant' ? constantPage : await readPage(Number(pageSize), afterKey)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length })
  response.end(page)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})

/** The current rows after a key, each as a record of revision 1.0. */
function rowsAfterKey(table: string, key: string): string {
  return `FROM ${table} WHERE valid_to = ${Number.MAX_SAFE_INTEGER} AND pk > ${key} ORDER BY pk`
}

function sqlitePages(file: string): ReadPage {
  const db = new DatabaseSync(file, { readOnly: true })
  db.exec(`PRAGMA mmap_size = ${64 * 1024 ** 3}; PRAGMA cache_size = -${32 * 1024}`)
  const table = `oqs_object_${db.prepare('SELECT table_id FROM oqs_object_type').get()?.['table_id']}`
  // A bare placeholder behind LIMIT would make SQLite plan the statement again for every value.
  const statement = db.prepare(`SELECT CAST(group_concat(record, ',') AS BLOB) AS page FROM (
    SELECT concat('${RID}', object_id, '","properties":', body, '}') AS record
    ${rowsAfterKey(table, '?')} LIMIT ? + 0)`)
  return (pageSize, afterKey) => statement.get(afterKey, pageSize)?.['page'] as Uint8Array
}

/** Uses the connections of the store: the driver alone would decode every record to a string. */
async function postgresPages(url: string): Promise<ReadPage> {
  const pool = makePool(url, { max: 10, statementTimeoutMs: 30_000 })
  const { rows } = await pool.query('SELECT table_id FROM oqs_object_type')
  const table = `oqs_object_${rows[0]?.table_id}`
  const comma = Buffer.from(',')
  return async (pageSize, afterKey) => {
    const page = await pool.query<(Buffer | null)[]>({
      text: `SELECT '${RID}' || object_id || '","properties":' || body || '}'
        ${rowsAfterKey(table, '$1')} LIMIT ${pageSize}`,
      name: `page-${pageSize}`,
      values: [afterKey],
      rowMode: 'array',
      ...AS_BYTES,
    })
    const records = Buffer.concat(page.rows.flatMap(([record]) => (record ? [record, comma] : [])))
    freeRows(page.rows)
    return records
  }
}
