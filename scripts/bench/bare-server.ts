/**
 * The lower bound that the service is compared with, in a process of its own: bare node:http that sends
 * the rows after a key as plain SQL returns them.
 *
 * Argument: a SQLite file.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

const [file = ''] = process.argv.slice(2)
const db = new DatabaseSync(file, { readOnly: true })
db.exec(`PRAGMA mmap_size = ${64 * 1024 ** 3}; PRAGMA cache_size = -${32 * 1024}`)
const table = `oqs_object_${db.prepare('SELECT table_id FROM oqs_object_type').get()?.['table_id']}`
/** The current rows after a key, each as a record of revision 1.0. */
// A bare placeholder behind LIMIT would make SQLite plan the statement again for every value.
const readPage = db.prepare(`SELECT CAST(group_concat(record, ',') AS BLOB) AS page FROM (
  SELECT concat('{"rid":"ri.phonograph2-objects.main.object.', object_id, '","properties":', body, '}') AS record
  FROM ${table} WHERE valid_to = ${Number.MAX_SAFE_INTEGER} AND pk > ? ORDER BY pk LIMIT ? + 0)`)

const server = createServer(({ url = '' }, response) => {
  const [, pageSize, afterKey = ''] = url.split('/')
  const page = readPage.get(afterKey, Number(pageSize))?.['page'] as Uint8Array
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length })
  response.end(page)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})
