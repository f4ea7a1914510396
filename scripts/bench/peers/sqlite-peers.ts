/** Peers with files or memory of their own. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { makePart } from '../../measure/parts.ts'
import { CATEGORY_INDEX, COLUMNS, createSqlite, insertParts, TABLE } from './part-table.ts'
import { CATEGORY, findProgram, npmInstall, type Peer, type PeerPage } from './peer.ts'

const JSON_SERVER = '0.17.4'

/** REST over a JSON file in memory; pages are slices of an array. */
export const jsonServer: Peer = {
  name: 'json-server',
  store: 'SQLite',
  settings: `--quiet --read-only --no-gzip --no-cors; _start and _limit, because _page scans all \
objects for every page; the file is in key order; there are no indexes.`,
  async prepare({ workspace, objects, port }) {
    const folder = await npmInstall(workspace, 'json-server', JSON_SERVER)
    const file = join(folder, 'parts.json')
    const parts = Array.from({ length: objects }, (_, number) => makePart(number, 0))
    writeFileSync(file, JSON.stringify({ parts }))
    const flags = ['--quiet', '--read-only', '--no-gzip', '--no-cors', '--id', 'partNumber']
    const program = join(folder, 'node_modules', 'json-server', 'lib', 'cli', 'bin.js')
    const address = ['--host', '127.0.0.1', '--port', String(port)]
    return {
      version: JSON_SERVER,
      file: process.execPath,
      args: [program, ...flags, ...address, file],
      folder,
      readyPath: '/parts?_start=0&_limit=1',
    }
  },
  call(query, pageSize, cursor) {
    const condition = query === 'query' ? `category=${CATEGORY}&` : ''
    const slice = `_start=${cursor?.count ?? 0}&_limit=${pageSize}`
    return { method: 'GET', path: `/parts?${condition}${slice}` }
  },
  read: (page) => ({ objects: page as PeerPage['objects'] }),
}

/** A JSON API over a SQLite file; keyset pages. */
export const datasette: Peer = {
  name: 'Datasette',
  store: 'SQLite',
  settings: `the file opened as immutable; an index on (category, partNumber); rows as objects, \
without counts and facets; its own _next.`,
  async prepare({ workspace, objects, port }) {
    const { file, version } = await findProgram('datasette')
    const database = join(workspace.folder, 'datasette.db')
    createSqlite(database, objects)
    const off = ['suggest_facets', 'allow_csv_stream', 'allow_download', 'allow_facet']
    const address = ['--host', '127.0.0.1', '--port', String(port)]
    return {
      version,
      file,
      args: [
        ...['serve', '--immutable', database, ...address],
        ...off.flatMap((name) => ['--setting', name, 'off']),
      ],
      readyPath: `/datasette/${TABLE}.json?_size=1`,
    }
  },
  call(query, pageSize, cursor) {
    const parameters = new URLSearchParams({
      _shape: 'objects',
      _size: String(pageSize),
      _nocount: '1',
      _nofacet: '1',
      _nosuggest: '1',
      ...(query === 'query' && { category__exact: CATEGORY }),
      ...(cursor?.token !== undefined && { _next: cursor.token }),
    })
    return { method: 'GET', path: `/datasette/${TABLE}.json?${parameters}` }
  },
  read(page) {
    const { rows, next } = page as { readonly rows: PeerPage['objects']; readonly next: string }
    return { objects: rows, token: next }
  },
}

const POCKETBASE_TYPES: Readonly<Record<string, string>> = {
  revision: 'number',
  weight: 'number',
  changedAt: 'date',
}

/** REST over its own SQLite file; a filter on the key instead of page numbers. */
export const pocketbase: Peer = {
  name: 'PocketBase',
  store: 'SQLite',
  settings: `--dev=false, no request log; a public collection with indexes on partNumber and \
(category, partNumber); a filter on the key with skipTotal, because pages by number skip rows.`,
  async prepare({ workspace, objects, port }) {
    const { file, version } = await findProgram('pocketbase')
    const folder = join(workspace.folder, 'pocketbase')
    const migrations = join(folder, 'migrations')
    mkdirSync(migrations, { recursive: true })
    writeFileSync(join(migrations, '1_parts.js'), pocketbaseMigration())
    const data = join(folder, 'data')
    const options = ['--dev=false', '--dir', data, '--migrationsDir', migrations]
    await promisify(execFile)(file, ['migrate', 'up', ...options], { cwd: folder })
    // Its API would take many minutes.
    using db = new DatabaseSync(join(data, 'data.db'))
    insertParts(db, objects)
    db.exec(`UPDATE ${TABLE} SET "changedAt" = replace("changedAt", 'T', ' '); ANALYZE`)
    const args = ['serve', '--http', `127.0.0.1:${port}`, ...options]
    return { version, file, args, folder, readyPath: '/api/health' }
  },
  call(query, pageSize, cursor) {
    const filters = [
      ...(query === 'query' ? [`category='${CATEGORY}'`] : []),
      ...(cursor === undefined ? [] : [`partNumber>'${cursor.key}'`]),
    ]
    const parameters = new URLSearchParams({
      sort: 'partNumber',
      perPage: String(pageSize),
      skipTotal: '1',
      ...(filters.length > 0 && { filter: filters.join(' && ') }),
    })
    return { method: 'GET', path: `/api/collections/${TABLE}/records?${parameters}` }
  },
  read: (page) => ({ objects: (page as { readonly items: PeerPage['objects'] }).items }),
}

function pocketbaseMigration(): string {
  const collection = {
    type: 'base',
    name: TABLE,
    listRule: '',
    fields: COLUMNS.map((name) => ({ name, type: POCKETBASE_TYPES[name] ?? 'text' })),
    indexes: [`CREATE UNIQUE INDEX part_key ON ${TABLE} ("partNumber")`, CATEGORY_INDEX],
  }
  return `migrate((app) => {
  app.save(new Collection(${JSON.stringify(collection)}))
  const settings = app.settings()
  settings.logs.maxDays = 0
  app.save(settings)
}, () => {})
`
}
