import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { freePort } from '../../../test/support/free-port.ts'
import { findProgram } from './find-program.ts'
import { CATEGORY_INDEX, COLUMNS, insertParts, TABLE } from './part-table.ts'
import { ASKED_CATEGORY, type Peer, type PeerPage, type PeerSetup } from './peer.ts'
import { startPeerProcess } from './peer-process.ts'

/** REST over its own SQLite file; a condition on the key takes the place of page numbers. */

const SETTINGS = `--dev=false, no log of requests; a collection that everybody may list, with a unique index on \
partNumber and one on (category, partNumber); after a key, in its order, with skipTotal: pages by \
number would skip all rows before them.`

const TYPES = { revision: 'number', weight: 'number', changedAt: 'date' } as const

export const pocketbase: Peer = { name: 'PocketBase', rival: 'SQLite', start }

async function start({ workspace, objects }: PeerSetup) {
  const { file, version } = await findProgram('pocketbase')
  const folder = join(workspace.folder, 'pocketbase')
  const migrations = join(folder, 'migrations')
  mkdirSync(migrations, { recursive: true })
  writeFileSync(join(migrations, '1_parts.js'), migration())
  const data = join(folder, 'data')
  const options = ['--dev=false', '--dir', data, '--migrationsDir', migrations]
  await promisify(execFile)(file, ['migrate', 'up', ...options], { cwd: folder })
  fillCollection(join(data, 'data.db'), objects)

  const port = await freePort()
  const server = await startPeerProcess(workspace, {
    file,
    words: ['serve', '--http', `127.0.0.1:${port}`, ...options],
    folder,
    port,
    readyPath: '/api/health',
  })
  return {
    ...server,
    settings: `PocketBase ${version}: ${SETTINGS}`,
    call: ({ question, pageSize }, from) => {
      const conditions = [
        ...(question === 'query' ? [`category='${ASKED_CATEGORY}'`] : []),
        ...(from === undefined ? [] : [`partNumber>'${from.key}'`]),
      ]
      const query = new URLSearchParams({ sort: 'partNumber', perPage: String(pageSize) })
      query.set('skipTotal', '1')
      if (conditions.length > 0) query.set('filter', conditions.join(' && '))
      return { method: 'GET', path: `/api/collections/${TABLE}/records?${query}` }
    },
    read: (page) => ({ objects: (page as { readonly items: PeerPage['objects'] }).items }),
  } satisfies Awaited<ReturnType<Peer['start']>>
}

function migration(): string {
  const types: Readonly<Record<string, string>> = TYPES
  const collection = {
    type: 'base',
    name: TABLE,
    listRule: '',
    fields: COLUMNS.map((name) => ({ name, type: types[name] ?? 'text' })),
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

/** Past its API, which would take many minutes. */
function fillCollection(file: string, objects: number): void {
  using db = new DatabaseSync(file)
  insertParts(db, TABLE, objects)
  // As PocketBase itself writes times.
  db.exec(`UPDATE ${TABLE} SET "changedAt" = replace("changedAt", 'T', ' ')`)
  db.exec('ANALYZE')
}
