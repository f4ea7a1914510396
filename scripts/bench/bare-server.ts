import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { recordShape } from '../../src/contract/object-record.ts'
import { AS_BYTES } from '../../src/store/postgres/driver/byte-rows.ts'
import { makePool } from '../../src/store/postgres/driver/connection-pool.ts'
import { numberParameters } from '../../src/store/postgres/driver/prepared-statements.ts'
import { shownRows, toPageRows } from '../../src/store/postgres/pages/page-rows.ts'
import { pageSql as postgresPageSql } from '../../src/store/postgres/pages/page-sql.ts'
import { OPEN } from '../../src/store/sql/new-table.ts'
import { openConnection } from '../../src/store/sqlite/file/connection.ts'
import { pageSql } from '../../src/store/sqlite/pages/page-sql.ts'
import { constantPageFile, constantPath } from './bare-paths.ts'
import { OBJECT_TYPE } from './objects.ts'
import { PAGE_SIZES } from './options.ts'

/**
 * The bare server, a process of its own: node:http and nothing around it. One path sends a constant
 * page, which no server on Node beats; the other what the store's page SQL gives after a key.
 *
 * Arguments: the folder of the constant pages, the store as `OQS_STORE` names it.
 */

type ReadStorePage = (pageSize: number, afterKey: string) => Uint8Array | Promise<Uint8Array>

const [folder = '', store = ''] = process.argv.slice(2)
const readStorePage: ReadStorePage = store.startsWith('sqlite:')
  ? sqlitePageReader(store.slice('sqlite:'.length))
  : await postgresPageReader(store)
const constantPages = new Map(
  PAGE_SIZES.map((pageSize) => [
    constantPath(pageSize),
    readFileSync(join(folder, constantPageFile(pageSize))),
  ]),
)

const server = createServer(async ({ url = '' }, response) => {
  const page = constantPages.get(url) ?? (await storePageAt(url))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length })
  response.end(page)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})

function storePageAt(path: string): Uint8Array | Promise<Uint8Array> {
  const [, , pageSize, afterKey = ''] = path.split('/')
  return readStorePage(Number(pageSize), afterKey)
}

/** Reads a page in the same way as the store but for its transaction and its checks. */
function sqlitePageReader(file: string): ReadStorePage {
  const db = openConnection(file)
  db.exec('PRAGMA query_only = ON')
  const table = Number(db.prepare('SELECT table_id FROM object_type').get()?.['table_id'])
  const { sql, values } = pageSql(table, 'current', {
    shape: recordShape('1.0', OBJECT_TYPE),
    selection: undefined,
  })
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return (pageSize, afterKey) => {
    const [records] = statement.get(...values, afterKey, pageSize) as unknown as [Uint8Array]
    return records
  }
}

/** The same on PostgreSQL: the statement of the store on its connections. */
async function postgresPageReader(url: string): Promise<ReadStorePage> {
  const pool = makePool(url, { max: 10, statementTimeoutMs: 30_000 })
  const { rows } = await pool.query('SELECT table_id FROM oqs_object_type')
  const table = Number(rows[0]?.table_id)
  const record = { shape: recordShape('1.0', OBJECT_TYPE), selection: undefined }
  return async (pageSize, afterKey) => {
    const where = { sql: `o.valid_to = ${OPEN} AND o.pk > ?`, values: [afterKey] }
    const wish = { table, where, orderBy: 'o.pk', isKeyOrder: true, record, budget: undefined }
    const { sql, values } = postgresPageSql({ ...wish, maxObjects: pageSize })
    const statement = { text: numberParameters(sql), name: `page-${pageSize}`, values: [...values] }
    const page = await pool.query<(Buffer | null)[]>({
      ...statement,
      rowMode: 'array',
      ...AS_BYTES,
    })
    return toPageRows(shownRows(page.rows, pageSize), false, record).records
  }
}
