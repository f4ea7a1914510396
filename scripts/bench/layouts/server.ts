import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openConnection } from '../../../src/store/sqlite/file/connection.ts'
import { partNumber } from '../objects.ts'
import { LAYOUT_NAMES, type LayoutName, type PageReader } from './layout.ts'
import { LAYOUTS, layoutFile } from './layouts.ts'
import { readPath } from './page-path.ts'

/**
 * The bare server of the layouts, a process of its own: node:http, and pages as each layout gives
 * them. Argument: the folder of the files. Tells its port to the process that started it.
 */

const [folder = ''] = process.argv.slice(2)
const readers = new Map<LayoutName, PageReader>(
  LAYOUT_NAMES.map((name) => [name, openReader(name)]),
)
/** By number of objects: what no layout can beat. */
const constants = new Map<number, readonly Uint8Array[]>()

const server = createServer((request, response) => {
  const pieces = readPage(request.url ?? '')
  const length = pieces.reduce((bytes, piece) => bytes + piece.length, 0)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
  response.cork()
  for (const piece of pieces) response.write(piece)
  response.end()
})
// The client is silent for as long as it writes.
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.once('disconnect', () => process.exit())

function openReader(name: LayoutName): PageReader {
  const db = openConnection(join(folder, layoutFile(name)))
  db.exec('PRAGMA query_only = ON')
  const table = Number(db.prepare('SELECT table_id FROM object_type').get()?.['table_id'])
  return LAYOUTS[name].reader(db, table)
}

function readPage(url: string): readonly Uint8Array[] {
  const { layout, revision, version, first, objects } = readPath(url)
  const after = first === 0 ? '' : partNumber(first - 1)
  const wish = { revision, version, after, objects }
  if (layout !== 'constant') return readers.get(layout)?.(wish) ?? []
  const known = constants.get(objects) ?? readers.get('rows')?.(wish) ?? []
  constants.set(objects, known)
  return known
}
