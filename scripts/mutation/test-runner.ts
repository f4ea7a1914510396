/**
 * A test runner for Stryker that tries all mutants in one run of Vitest; see mutant-runner.ts. Stryker
 * makes the mutants, asks for each of them, and reports.
 */
import { createVitest, type TestModule } from 'vitest/node'
import type {} from './mutant-runner.ts'

interface TestSummary {
  readonly id: string
  readonly name: string
  readonly timeSpentMs: number
}

class OneRunTestRunner {
  /** The test that noticed each mutant. */
  readonly #noticedBy = new Map<string, string>()

  capabilities() {
    return { reloadEnvironment: true }
  }

  async dryRun() {
    const vitest = await createVitest('test', {
      config: 'scripts/mutation/vitest.config.ts',
      watch: false,
    })
    try {
      const { testModules, unhandledErrors } = await vitest.start()
      const problem = [...unhandledErrors, ...testModules.flatMap((module) => module.errors())][0]
      if (problem !== undefined) return { status: 'error', errorMessage: String(problem) }
      return this.#summarise(testModules)
    } finally {
      await vitest.close()
    }
  }

  #summarise(testModules: readonly TestModule[]) {
    const tests: object[] = []
    const perTest: Record<string, Readonly<Record<string, number>>> = {}
    const onLoad: Record<string, number> = {}
    for (const module of testModules) {
      for (const mutant of module.meta().staticMutants ?? []) onLoad[mutant] = 1
      for (const test of module.children.allTests()) {
        const { id, fullName: name } = test
        const summary: TestSummary = { id, name, timeSpentMs: test.diagnostic()?.duration ?? 0 }
        const [error] = test.result().errors ?? []
        tests.push(
          error === undefined
            ? { ...summary, status: 0 }
            : { ...summary, status: 1, failureMessage: error.message },
        )
        const { reachedMutants = {}, noticedMutants = [] } = test.meta()
        perTest[id] = reachedMutants
        for (const mutant of noticedMutants) this.#noticedBy.set(mutant, id)
      }
    }
    return { status: 'complete', tests, mutantCoverage: { perTest, static: onLoad } }
  }

  mutantRun(options: { readonly activeMutant: { readonly id: string } }) {
    const test = this.#noticedBy.get(options.activeMutant.id)
    return test === undefined
      ? { status: 'survived', nrOfTests: 1 }
      : { status: 'killed', killedBy: [test], failureMessage: '', nrOfTests: 1 }
  }
}

/** The name under which Stryker finds the plugins of a module. */
export const strykerPlugins = [
  { kind: 'TestRunner', name: 'one-run', factory: () => new OneRunTestRunner() },
]
