import { freePort } from '../../../test/support/free-port.ts'
import { findProgram } from './find-program.ts'
import { COLUMNS, loadPostgresTable, TABLE } from './part-table.ts'
import { ASKED_CATEGORY, type Peer, type PeerPage, type PeerSetup } from './peer.ts'
import { startPeerProcess } from './peer-process.ts'

/** REST over PostgreSQL; a condition on the key takes the place of a cursor. */

const SETTINGS = `10 connections, log level crit, no listening for changes of the schema, no counts; a table \
with an index on (category, partNumber); the seven columns, after a key, in its order, with a limit.`

export const postgrest: Peer = { name: 'PostgREST', rival: 'PostgreSQL', start }

async function start({ workspace, objects, postgres }: PeerSetup) {
  const { file, version } = await findProgram('postgrest')
  await using parts = new AsyncDisposableStack()
  const database = parts.use(await loadPostgresTable(postgres, objects))
  const port = await freePort()
  const server = parts.use(
    await startPeerProcess(workspace, {
      file,
      words: [],
      settings: {
        PGRST_DB_URI: database.url,
        PGRST_DB_SCHEMAS: 'public',
        PGRST_DB_ANON_ROLE: decodeURIComponent(new URL(database.url).username),
        PGRST_DB_POOL: '10',
        PGRST_DB_CHANNEL_ENABLED: 'false',
        PGRST_SERVER_HOST: '127.0.0.1',
        PGRST_SERVER_PORT: String(port),
        PGRST_LOG_LEVEL: 'crit',
      },
      folder: workspace.folder,
      port,
      readyPath: `/${TABLE}?limit=1`,
    }),
  )
  const running = parts.move()
  return {
    ...server,
    settings: `PostgREST ${version}: ${SETTINGS}`,
    call: ({ question, pageSize }, from) => {
      const query = new URLSearchParams({ select: COLUMNS.join(','), order: 'partNumber.asc' })
      query.set('limit', String(pageSize))
      if (question === 'query') query.set('category', `eq.${ASKED_CATEGORY}`)
      if (from !== undefined) query.set('partNumber', `gt.${from.key}`)
      return { method: 'GET', path: `/${TABLE}?${query}` }
    },
    read: (page) => ({ objects: page as PeerPage['objects'] }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  } satisfies Awaited<ReturnType<Peer['start']>>
}
