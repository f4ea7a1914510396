/** The tests of `npm run mutation`: only those that must notice the mutants. */
import { defineConfig } from 'vitest/config'

/** Only ends what hangs. */
const HANGS_AFTER_MS = 600_000

export default defineConfig({
  test: {
    include: JSON.parse(process.env['OQS_MUTATION_TESTS'] ?? '[]'),
    provide: { store: 'sqlite' as const },
    globalSetup: './test/support/start-run.ts',
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
  },
})
