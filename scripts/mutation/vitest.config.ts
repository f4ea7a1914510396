/** The test runner of `npm run mutation`: only the tests that must notice the mutants. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: JSON.parse(process.env['OQS_MUTATION_TESTS'] ?? '[]'),
    provide: { store: 'sqlite' as const },
    globalSetup: './test/support/start-run.ts',
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})
