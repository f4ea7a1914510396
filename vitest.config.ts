import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** What a client can notice is the same whatever database is behind the service. */
const ON_EVERY_STORE = [
  'test/conformance/**/*.test.ts',
  'test/properties/**/*.test.ts',
  'test/sdk/**/*.test.ts',
]
const ON_POSTGRES = ['src/store/postgres/**/*.test.ts', 'test/**/*postgres*.test.ts']

const START_RUN = './test/support/start-run.ts'

/** Only ends what hangs: on a busy machine a test takes many times as long as on a quiet one. */
const HANGS_AFTER_MS = 600_000

const sqlite = {
  extends: true as const,
  test: {
    name: 'sqlite',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ON_POSTGRES,
    provide: { store: 'sqlite' as const },
    globalSetup: START_RUN,
  },
}

const postgres = {
  extends: true as const,
  test: {
    name: 'postgres',
    include: [...ON_EVERY_STORE, ...ON_POSTGRES],
    provide: { store: 'postgres' as const },
    globalSetup: [START_RUN, './test/support/start-postgres.ts'],
  },
}

/** Only where a coordinator is given; there is one database, so one file after another. */
const citus = {
  extends: true as const,
  test: {
    name: 'citus',
    include: [...ON_EVERY_STORE, ...ON_POSTGRES],
    provide: { store: 'citus' as const, postgresUrl: process.env['OQS_TEST_CITUS'] ?? '' },
    globalSetup: START_RUN,
    fileParallelism: false,
  },
}

export default defineConfig({
  test: {
    projects: [sqlite, postgres, ...(process.env['OQS_TEST_CITUS'] === undefined ? [] : [citus])],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    // More than there are cores: much of the time goes into processes that are waited for.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
  },
})
