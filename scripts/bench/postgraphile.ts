/** PostGraphile: GraphQL over PostgreSQL; pages by keyset cursors. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { COLUMNS, fillPostgres } from './part-table.ts'
import { CATEGORY, type Peer } from './peer.ts'

const VERSION = '5.1.5'
const GRAPHQL = `query Parts($first: Int!, $after: Cursor, $condition: PartCondition) {
  allParts(first: $first, after: $after, condition: $condition, orderBy: [PRIMARY_KEY_ASC]) {
    nodes { ${COLUMNS.join(' ')} }
    pageInfo { hasNextPage endCursor }
  }
}`

export const postgraphile: Peer = {
  name: 'PostGraphile',
  store: 'PostgreSQL',
  settings: `the preset amber, NODE_ENV and GRAPHILE_ENV production, results written as text, 10 \
connections; an index on (category, partNumber); the seven columns, cursors in key order.`,
  readyPath: `/graphql?query=${encodeURIComponent('{ __typename }')}`,
  async prepare(bench, objects, port) {
    const folder = join(bench.folder, 'postgraphile')
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts']
    const options = { cwd: folder, timeout: 300_000 }
    await promisify(execFile)('npm', [...install, `postgraphile@${VERSION}`], options)
    const url = await bench.createStore('postgraphile')
    await fillPostgres(url, objects)
    writeFileSync(join(folder, 'graphile.config.mjs'), postgraphileConfig(url, port))
    return {
      version: VERSION,
      file: process.execPath,
      args: [join(folder, 'node_modules', 'postgraphile', 'dist', 'cli-run.js')],
      env: { GRAPHILE_ENV: 'production' },
      folder,
      headers: { accept: 'application/json' },
    }
  },
  call(query, pageSize, token) {
    const condition = query === 'query' ? { category: CATEGORY } : undefined
    const variables = { first: pageSize, after: token, condition }
    return { method: 'POST', path: '/graphql', body: JSON.stringify({ query: GRAPHQL, variables }) }
  },
  read: ({ data: { allParts } }) => ({
    objects: allParts.nodes,
    token: allParts.pageInfo.endCursor,
  }),
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
