import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Pool } from 'pg'
import { recordShape } from '../../src/contract/object-record.ts'
import { numbered } from '../../src/store/postgres/numbered-sql.ts'
import { pageSql as postgresPageSql } from '../../src/store/postgres/page-sql.ts'
import { OPEN } from '../../src/store/sql/new-table.ts'
import { openConnection } from '../../src/store/sqlite/connection.ts'
import { pageSql } from '../../src/store/sqlite/page-sql.ts'
import { constantPageFile, constantPath, storePath } from './bare-paths.ts'
import { OBJECT_TYPE } from './objects.ts'
import { CONCURRENCY } from './options.ts'
import { PAGE_SIZES } from './walk.ts'

/**
 * The bare server, a process of its own: node:http and nothing around it. One path sends a constant
 * page, which no server on Node beats; the other what the store's page SQL gives.
 *
 * Arguments: the folder of the constant pages, the store as `OQS_STORE` names it.
 */

const [folder = '', store = ''] = process.argv.slice(2)
const pages = new Map<string, () => Uint8Array | Promise<Uint8Array>>()
const readStorePage = store.startsWith('sqlite:')
  ? sqlitePageReader(store.slice('sqlite:'.length))
  : await postgresPageReader(store)
for (const pageSize of PAGE_SIZES) {
  const constant = readFileSync(join(folder, constantPageFile(pageSize)))
  pages.set(constantPath(pageSize), () => constant)
  pages.set(storePath(pageSize), () => readStorePage(pageSize))
}

const server = createServer(async (request, response) => {
  const page = await pages.get(request.url ?? '')?.()
  response.writeHead(page === undefined ? 404 : 200, {
    'content-type': 'application/json',
    'content-length': page?.length ?? 0,
  })
  response.end(page)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})

/** The first page, read in the same way as by the store but for its transaction and its checks. */
function sqlitePageReader(file: string): (pageSize: number) => Uint8Array {
  const db = openConnection(file)
  db.exec('PRAGMA query_only = ON')
  const table = Number(db.prepare('SELECT table_id FROM object_type').get()?.['table_id'])
  const { sql, values } = pageSql(table, 'current', {
    shape: recordShape('1.0', OBJECT_TYPE),
    selection: undefined,
  })
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return (pageSize) => {
    const [records] = statement.get(...values, '', pageSize) as unknown as [Uint8Array]
    return records
  }
}

/** The same on PostgreSQL: the statement of the store through the bare driver. */
async function postgresPageReader(url: string): Promise<(pageSize: number) => Promise<Buffer>> {
  const pool = new Pool({ connectionString: url, max: CONCURRENCY })
  const { rows } = await pool.query('SELECT table_id FROM oqs_object_type')
  const table = Number(rows[0]?.table_id)
  const record = { shape: recordShape('1.0', OBJECT_TYPE), selection: undefined }
  return async (pageSize) => {
    const where = { sql: `o.valid_to = ${OPEN} AND o.pk > ?`, values: [''] }
    const wish = { table, where, orderBy: 'o.pk', isKeyOrder: true, record, budget: undefined }
    const { sql, values } = postgresPageSql({ ...wish, maxObjects: pageSize })
    const { text } = numbered(sql)
    const name = `page-${pageSize}`
    const page = await pool.query({ name, text, values: [...values], rowMode: 'array' })
    return Buffer.from(
      page.rows
        .slice(0, pageSize)
        .map((row) => row[2])
        .join(','),
    )
  }
}
