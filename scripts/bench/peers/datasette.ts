import { join } from 'node:path'
import { freePort } from '../../../test/support/free-port.ts'
import { findProgram } from './find-program.ts'
import { TABLE, writeSqliteTable } from './part-table.ts'
import { ASKED_CATEGORY, type Peer, type PeerPage, type PeerSetup } from './peer.ts'
import { startPeerProcess } from './peer-process.ts'

/** A JSON API over a SQLite file; pages by keyset. */

const SETTINGS = `the file opened as immutable; a table with an index on (category, partNumber); rows as \
objects without counts, facets and their suggestions; its own _next.`

export const datasette: Peer = { name: 'Datasette', rival: 'SQLite', start }

async function start({ workspace, objects }: PeerSetup) {
  const { file, version } = await findProgram('datasette')
  const database = join(workspace.folder, 'datasette.db')
  writeSqliteTable(database, objects)
  const port = await freePort()
  const settings = ['suggest_facets', 'allow_csv_stream', 'allow_download', 'allow_facet']
  const server = await startPeerProcess(workspace, {
    file,
    words: [
      ...['serve', '--immutable', database, '--host', '127.0.0.1', '--port', String(port)],
      ...settings.flatMap((name) => ['--setting', name, 'off']),
    ],
    folder: workspace.folder,
    port,
    readyPath: `/datasette/${TABLE}.json?_size=1`,
  })
  return {
    ...server,
    settings: `Datasette ${version}: ${SETTINGS}`,
    call: ({ question, pageSize }, from) => {
      const query = new URLSearchParams({ _shape: 'objects', _size: String(pageSize) })
      query.set('_nocount', '1')
      query.set('_nofacet', '1')
      query.set('_nosuggest', '1')
      if (question === 'query') query.set('category__exact', ASKED_CATEGORY)
      if (from?.token !== undefined) query.set('_next', from.token)
      return { method: 'GET', path: `/datasette/${TABLE}.json?${query}` }
    },
    read: (page) => {
      const { rows, next } = page as { readonly rows: PeerPage['objects']; readonly next: string }
      return { objects: rows, token: next }
    },
  } satisfies Awaited<ReturnType<Peer['start']>>
}
