import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { freePort } from '../../../test/support/free-port.ts'
import { findProgram } from './find-program.ts'
import { COLUMNS, loadPostgresTable, TABLE } from './part-table.ts'
import { ASKED_CATEGORY, type Peer, type PeerPage, type PeerSetup } from './peer.ts'
import { startPeerProcess } from './peer-process.ts'

/** REST over PostgreSQL; a condition on the key takes the place of page numbers. */

const SETTINGS = `NODE_ENV production, log level error, no telemetry, no limiters, 10 connections; the token of \
an administrator, so that no permissions are looked up; a table with an index on (category, \
partNumber); the seven columns, after a key, in its order, with a limit.`

export const directus: Peer = { name: 'Directus', rival: 'PostgreSQL', start }

async function start({ workspace, objects, postgres }: PeerSetup) {
  const { file, version } = await findProgram('directus')
  await using parts = new AsyncDisposableStack()
  const database = parts.use(await loadPostgresTable(postgres, objects))
  const port = await freePort()
  const token = randomBytes(24).toString('hex')
  const settings = environment(database.url, port, token)
  await promisify(execFile)(file, ['bootstrap'], {
    cwd: workspace.folder,
    env: { ...process.env, ...settings },
  })
  const server = parts.use(
    await startPeerProcess(workspace, {
      file,
      words: ['start'],
      settings,
      folder: workspace.folder,
      port,
      readyPath: '/server/ping',
      headers: { authorization: `Bearer ${token}` },
    }),
  )
  const running = parts.move()
  return {
    ...server,
    settings: `Directus ${version}: ${SETTINGS}`,
    call: ({ question, pageSize }, from) => {
      const query = new URLSearchParams({ fields: COLUMNS.join(','), sort: 'partNumber' })
      query.set('limit', String(pageSize))
      if (question === 'query') query.set('filter[category][_eq]', ASKED_CATEGORY)
      if (from !== undefined) query.set('filter[partNumber][_gt]', from.key)
      return { method: 'GET', path: `/items/${TABLE}?${query}` }
    },
    read: (page) => ({ objects: (page as { readonly data: PeerPage['objects'] }).data }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  } satisfies Awaited<ReturnType<Peer['start']>>
}

function environment(url: string, port: number, token: string): Readonly<Record<string, string>> {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    SECRET: randomBytes(24).toString('hex'),
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: url,
    DB_POOL__MAX: '10',
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: randomBytes(24).toString('hex'),
    ADMIN_TOKEN: token,
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
  }
}
