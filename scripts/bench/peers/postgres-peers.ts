/** Peers on PostgreSQL. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { COLUMNS, TABLE } from './part-table.ts'
import { CATEGORY, findProgram, npmInstall, type Peer, type PeerPage } from './peer.ts'

const POSTGRAPHILE = '5.1.5'
const GRAPHQL = `query Parts($first: Int!, $after: Cursor, $condition: PartCondition) {
  allParts(first: $first, after: $after, condition: $condition, orderBy: [PRIMARY_KEY_ASC]) {
    nodes { ${COLUMNS.join(' ')} }
    pageInfo { hasNextPage endCursor }
  }
}`

/** GraphQL; pages by keyset cursors. */
export const postgraphile: Peer = {
  name: 'PostGraphile',
  store: 'PostgreSQL',
  settings: `the preset amber, NODE_ENV and GRAPHILE_ENV production, results written as text, 10 \
connections; an index on (category, partNumber); the seven columns, cursors in key order.`,
  async prepare({ workspace, port, createDatabase }) {
    const folder = await npmInstall(workspace, 'postgraphile', POSTGRAPHILE)
    const config = postgraphileConfig(await createDatabase(), port)
    writeFileSync(join(folder, 'graphile.config.mjs'), config)
    return {
      version: POSTGRAPHILE,
      file: process.execPath,
      args: [join(folder, 'node_modules', 'postgraphile', 'dist', 'cli-run.js')],
      env: { GRAPHILE_ENV: 'production' },
      folder,
      readyPath: `/graphql?query=${encodeURIComponent('{ __typename }')}`,
      headers: { accept: 'application/json' },
    }
  },
  call(query, pageSize, cursor) {
    const condition = query === 'query' ? { category: CATEGORY } : undefined
    const variables = { first: pageSize, after: cursor?.token, condition }
    return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: GRAPHQL, variables }) }
  },
  read(page) {
    const { allParts } = (page as { readonly data: { readonly allParts: GraphqlPage } }).data
    return { objects: allParts.nodes, token: allParts.pageInfo.endCursor }
  },
}

interface GraphqlPage {
  readonly nodes: PeerPage['objects']
  readonly pageInfo: { readonly endCursor: string }
}

function postgraphileConfig(url: string, port: number): string {
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

/** REST; a filter on the key instead of a cursor. */
export const postgrest: Peer = {
  name: 'PostgREST',
  store: 'PostgreSQL',
  settings: `10 connections, log level crit, no schema listener, no counts; an index on (category, \
partNumber); the seven columns after a key, in its order, with a limit.`,
  async prepare({ port, createDatabase }) {
    const { file, version } = await findProgram('postgrest')
    const url = await createDatabase()
    const env = {
      PGRST_DB_URI: url,
      PGRST_DB_SCHEMAS: 'public',
      PGRST_DB_ANON_ROLE: decodeURIComponent(new URL(url).username),
      PGRST_DB_POOL: '10',
      PGRST_DB_CHANNEL_ENABLED: 'false',
      PGRST_SERVER_HOST: '127.0.0.1',
      PGRST_SERVER_PORT: String(port),
      PGRST_LOG_LEVEL: 'crit',
    }
    return { version, file, args: [], env, readyPath: `/${TABLE}?limit=1` }
  },
  call(query, pageSize, cursor) {
    const parameters = new URLSearchParams({
      select: COLUMNS.join(','),
      order: 'partNumber.asc',
      limit: String(pageSize),
      ...(query === 'query' && { category: `eq.${CATEGORY}` }),
      ...(cursor !== undefined && { partNumber: `gt.${cursor.key}` }),
    })
    return { method: 'GET', path: `/${TABLE}?${parameters}` }
  },
  read: (page) => ({ objects: page as PeerPage['objects'] }),
}

/** REST; a filter on the key instead of page numbers. */
export const directus: Peer = {
  name: 'Directus',
  store: 'PostgreSQL',
  settings: `NODE_ENV production, log level error, no telemetry, no limiters, 10 connections; the \
token of an administrator, which skips permissions; an index on (category, partNumber); the seven \
columns after a key, in its order, with a limit.`,
  async prepare({ workspace, port, createDatabase }) {
    const { file, version } = await findProgram('directus')
    const token = randomBytes(24).toString('hex')
    const env = {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      SECRET: randomBytes(24).toString('hex'),
      DB_CLIENT: 'pg',
      DB_CONNECTION_STRING: await createDatabase(),
      DB_POOL__MAX: '10',
      ADMIN_EMAIL: 'bench@example.com',
      ADMIN_PASSWORD: randomBytes(24).toString('hex'),
      ADMIN_TOKEN: token,
      LOG_LEVEL: 'error',
      TELEMETRY: 'false',
      PRESSURE_LIMITER_ENABLED: 'false',
    }
    const options = { cwd: workspace.folder, env: { ...process.env, ...env } }
    await promisify(execFile)(file, ['bootstrap'], options)
    const headers = { authorization: `Bearer ${token}` }
    return { version, file, args: ['start'], env, readyPath: '/server/ping', headers }
  },
  call(query, pageSize, cursor) {
    const parameters = new URLSearchParams({
      fields: COLUMNS.join(','),
      sort: 'partNumber',
      limit: String(pageSize),
      ...(query === 'query' && { 'filter[category][_eq]': CATEGORY }),
      ...(cursor !== undefined && { 'filter[partNumber][_gt]': cursor.key }),
    })
    return { method: 'GET', path: `/items/${TABLE}?${parameters}` }
  },
  read: (page) => ({ objects: (page as { readonly data: PeerPage['objects'] }).data }),
}
