import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../test/support/free-port.ts'
import { npmInstall } from './npm-install.ts'
import { COLUMNS, loadPostgresTable } from './part-table.ts'
import { ASKED_CATEGORY, type Peer, type PeerPage, type PeerSetup } from './peer.ts'
import { startPeerProcess } from './peer-process.ts'

/** GraphQL over PostgreSQL; pages by keyset cursors. */

const PACKAGE = { name: 'postgraphile', version: '5.1.5' }

const SETTINGS = `PostGraphile ${PACKAGE.version}: its command line with the preset amber, NODE_ENV and \
GRAPHILE_ENV production, without GraphiQL, watching and explaining, results written as text at \
once, 10 connections kept open; a table with an index on (category, partNumber); one query text \
with variables, only the seven columns, cursors in the order of the primary key.`

const QUERY = `query Parts($first: Int!, $after: Cursor, $condition: PartCondition) {
  allParts(first: $first, after: $after, condition: $condition, orderBy: [PRIMARY_KEY_ASC]) {
    nodes { ${COLUMNS.join(' ')} }
    pageInfo { hasNextPage endCursor }
  }
}`

export const postgraphile: Peer = { name: 'PostGraphile', rival: 'PostgreSQL', start }

async function start({ workspace, objects, postgres }: PeerSetup) {
  const folder = await npmInstall(workspace, PACKAGE)
  await using parts = new AsyncDisposableStack()
  const database = parts.use(await loadPostgresTable(postgres, objects))
  const port = await freePort()
  writeFileSync(join(folder, 'graphile.config.mjs'), configuration(database.url, port))
  const server = parts.use(
    await startPeerProcess(workspace, {
      file: process.execPath,
      words: [join(folder, 'node_modules', 'postgraphile', 'dist', 'cli-run.js')],
      settings: { GRAPHILE_ENV: 'production' },
      folder,
      port,
      readyPath: `/graphql?query=${encodeURIComponent('{ __typename }')}`,
      headers: { accept: 'application/json' },
    }),
  )
  const running = parts.move()
  return {
    ...server,
    settings: SETTINGS,
    call: ({ question, pageSize }, from) => ({
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify({
        query: QUERY,
        variables: {
          first: pageSize,
          after: from?.token,
          condition: question === 'query' ? { category: ASKED_CATEGORY } : undefined,
        },
      }),
    }),
    read: readPage,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  } satisfies Awaited<ReturnType<Peer['start']>>
}

function configuration(url: string, port: number): string {
  return `import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { makePgService } from 'postgraphile/adaptors/pg'

export default {
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: ${JSON.stringify(url)},
      schemas: ['public'],
      poolConfig: { max: 10, idleTimeoutMillis: 0 },
    }),
  ],
  grafserv: {
    host: '127.0.0.1',
    port: ${port},
    graphqlOverGET: true,
    graphiql: false,
    watch: false,
    outputDataAsString: true,
  },
  grafast: { explain: false },
}
`
}

function readPage(page: unknown): PeerPage {
  const { allParts } = (page as { readonly data: { readonly allParts: Connection } }).data
  return { objects: allParts.nodes, token: allParts.pageInfo.endCursor }
}

interface Connection {
  readonly nodes: PeerPage['objects']
  readonly pageInfo: { readonly endCursor: string }
}
