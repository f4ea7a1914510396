import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

/** Tests of what the database can influence; rules of HTTP alone are in `test/http/`. */
const ON_EVERY_STORE = ['columns', 'conformance', 'properties', 'sdk'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
)
/** Tests with cases by the hundred, of which `npm test` tries a third. */
const OF_MANY_CASES = ['test/columns/*.property.test.ts', 'test/properties/**/*.test.ts']
/** What only a cluster has. */
const ON_CITUS = ['distribution', 'moved-shard'].map(
  (name) => `src/store/postgres/citus/${name}.test.ts`,
)
const ON_POSTGRES = ['src/store/postgres/**/*.test.ts', 'test/**/*postgres*.test.ts']

/** The tests of `npm run test:long`: every documented example, kills, copies, damaged files, packages. */
const LONG = [
  'test/cli/backup.test.ts',
  'test/cli/context.test.ts',
  'test/cli/help-examples.test.ts',
  'test/cli/mirror.test.ts',
  'test/cli/parallel-export.test.ts',
  'test/client/generated-types.test.ts',
  'test/client/killed-service.test.ts',
  'test/damaged-file.sqlite.test.ts',
  'test/docs/examples.test.ts',
  'test/docs/generated-client.test.ts',
  'test/e2e/columns.test.ts',
  'test/e2e/damaged-file.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/image.test.ts',
  'test/e2e/import-faults.test.ts',
  'test/e2e/import-restart.test.ts',
  'test/e2e/install.test.ts',
  'test/e2e/killed-batches.test.ts',
  'test/e2e/killed-mirror.test.ts',
  'test/e2e/killed-sync.test.ts',
  'test/e2e/live-file.test.ts',
  'test/e2e/rewrites.test.ts',
  'test/e2e/signals.test.ts',
  'test/e2e/source.test.ts',
  'test/e2e/tls.test.ts',
  'test/e2e/workers.test.ts',
  'test/release/client-package.test.ts',
  'test/release/executable.test.ts',
  'test/release/service-package.test.ts',
  'test/soak.sqlite.test.ts',
]
const LONG_ON_EVERY_STORE = [
  'test/cli/sync-changes.test.ts',
  'test/cli/sync-faults.test.ts',
  'test/cli/sync-publications.test.ts',
  'test/cli/sync-refused-rows.test.ts',
  'test/cli/sync-reports.test.ts',
  'test/cli/sync-source-faults.test.ts',
  'test/cli/sync-tables.test.ts',
  'test/cli/sync.test.ts',
  'test/conformance/killed-writes.test.ts',
  'test/conformance/search-quality.test.ts',
]
/** What runs on SQLite in `npm test`, or needs a PostgreSQL of its own. */
const LONG_ON_POSTGRES = [
  'test/cli/mirror-postgres.test.ts',
  'test/columns/**/*.test.ts',
  ...[
    ...['audit', 'changes-of-sets', 'checksums', 'compare-rows', 'continue-tokens', 'created-once'],
    ...['delete-by-query', 'export', 'large-batches', 'limits', 'oauth-codes', 'ontologies'],
    ...['saved-views', 'service', 'source-transactions', 'structs', 'v2-aggregate-batch'],
    ...['v2-links', 'v2-object-sets', 'v2-several-types', 'v2-static-walks', 'waiting-*'],
  ].map((name) => `test/conformance/${name}.test.ts`),
  'test/e2e/killed-mirror-postgres.test.ts',
  'test/e2e/postgres.test.ts',
  'test/properties/**/*.test.ts',
  'test/sdk/**/*.test.ts',
  'test/simulation/simulation.postgres.test.ts',
  'test/store.postgres.test.ts',
]

/** Pages, searches, aggregations, sets, links, rights, snapshots, changes and changed definitions. */
const ANSWERED_BY_COLUMNS = [
  ...['aggregate', 'definition-changes', 'delete-by-query', 'entity-tags', 'family-objects'],
  ...['linked-objects', 'list-objects', 'object-set-snapshots', 'queries', 'relevance'],
  ...['replacements', 'rights', 'search-objects', 'snapshot-age', 'structs', 'v2-*', 'versions'],
]
  .map((name) => `test/conformance/${name}.test.ts`)
  .concat('test/properties/changes.property.test.ts')

const IN_A_BROWSER = 'test/explorer/**/*.test.ts'
/** The main journeys, which run on PostgreSQL as well. */
const JOURNEYS = 'test/explorer/journeys.test.ts'
/** The other screens, and what each must also do: for keyboards, on phones, behind a path. */
const LONG_IN_A_BROWSER = [
  ...[
    'accessibility',
    'admin',
    'base-path',
    'charts',
    'columns',
    'dashboards',
    'edit',
    'layers',
    'live',
    'load',
  ],
  ...[
    'load-existing',
    'lost-names',
    'lost-parts',
    'narrow',
    'numbers',
    'pictures',
    'request-code',
    'restart',
  ],
  ...['screen-requests', 'share', 'table', 'values', 'walk'],
].map((name) => `test/explorer/${name}.test.ts`)

const START_RUN = './test/support/start-run.ts'
const BUNDLED_MODULE = fileURLToPath(new URL('./test/support/bundled-module.ts', import.meta.url))

/** Only ends what hangs: on a busy machine a test takes many times as long as on a quiet one. */
const HANGS_AFTER_MS = 600_000

/** How long `expect.poll` waits for what a page shows after an event. */
const POLLED_MS = 60_000

const sqlite = {
  extends: true as const,
  test: {
    name: 'sqlite',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...ON_POSTGRES, IN_A_BROWSER, ...LONG, ...LONG_ON_EVERY_STORE],
    provide: { store: 'sqlite' as const, cases: 'third' as const },
    globalSetup: START_RUN,
  },
}

const postgres = {
  extends: true as const,
  test: {
    name: 'postgres',
    include: [...ON_EVERY_STORE, ...ON_POSTGRES],
    exclude: [...LONG_ON_EVERY_STORE, ...LONG_ON_POSTGRES, ...ON_CITUS],
    provide: { store: 'postgres' as const },
    globalSetup: [START_RUN, './test/support/start-postgres.ts'],
  },
}

/** What columns answer, with columns for types of any size, which requests wait for. */
const columns = {
  extends: true as const,
  test: {
    ...sqlite.test,
    name: 'long-columns',
    include: ANSWERED_BY_COLUMNS,
    exclude: [],
    provide: { store: 'sqlite' as const, columns: 'forced' as const },
  },
}

const columnsOnPostgres = {
  extends: true as const,
  test: {
    ...postgres.test,
    name: 'long-columns-postgres',
    include: ANSWERED_BY_COLUMNS,
    exclude: [],
    provide: { ...postgres.test.provide, columns: 'forced' as const },
  },
}

const explorer = {
  extends: true as const,
  test: {
    name: 'explorer',
    include: [IN_A_BROWSER],
    exclude: LONG_IN_A_BROWSER,
    provide: { store: 'sqlite' as const },
    globalSetup: START_RUN,
  },
}

const longExplorer = {
  extends: true as const,
  test: { ...explorer.test, name: 'long-explorer', include: LONG_IN_A_BROWSER, exclude: [] },
}

const explorerOnPostgres = {
  extends: true as const,
  test: {
    ...explorer.test,
    name: 'long-explorer-postgres',
    include: [JOURNEYS],
    provide: { store: 'postgres' as const },
    globalSetup: [START_RUN, './test/support/start-postgres.ts'],
  },
}

const long = {
  extends: true as const,
  test: {
    ...sqlite.test,
    name: 'long',
    include: [...LONG, ...LONG_ON_EVERY_STORE, ...OF_MANY_CASES],
    exclude: [],
    provide: { store: 'sqlite' as const },
  },
}

const longOnPostgres = {
  extends: true as const,
  test: {
    ...postgres.test,
    name: 'long-postgres',
    include: [...LONG_ON_EVERY_STORE, ...LONG_ON_POSTGRES],
    exclude: [],
  },
}

/** Distributes all types, however small, unless the URL says otherwise. */
const DISTRIBUTED = 'options=-c oqs.distribute_from=0'
const coordinator = process.env['OQS_TEST_CITUS'] ?? ''

/** Only where a coordinator is given; there is one database, so one file after another. */
const citus = {
  extends: true as const,
  test: {
    name: 'citus',
    include: [...ON_EVERY_STORE, ...ON_POSTGRES],
    provide: {
      store: 'citus' as const,
      postgresUrl: coordinator.includes('?') ? coordinator : `${coordinator}?${DISTRIBUTED}`,
    },
    globalSetup: START_RUN,
    sequence: { groupOrder: 1 },
    fileParallelism: false,
  },
}

export default defineConfig({
  // Threads start from the bundle of the run.
  resolve: {
    alias: [{ find: /^.*\/contract\/sibling-module\.ts$/, replacement: BUNDLED_MODULE }],
  },
  test: {
    projects: [
      sqlite,
      explorer,
      postgres,
      columns,
      columnsOnPostgres,
      explorerOnPostgres,
      longExplorer,
      long,
      longOnPostgres,
      ...(coordinator === '' ? [] : [citus]),
    ],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    // More than there are cores: much of the time goes into processes that are waited for.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // The files of a project share processes, which have then loaded and optimised the service. No
    // module has mutable state, and what a test replaces or sets is restored after it. A process is
    // kept only for files of its project, so the files of a project start together.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    expect: { poll: { timeout: POLLED_MS } },
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    teardownTimeout: HANGS_AFTER_MS,
  },
})
