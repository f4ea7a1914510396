/**
 * Runs each test of Vitest once as it is, and then once for each mutant that it reached, in the same
 * process: a mutant costs as much as the body of a test, instead of a start of Vitest.
 *
 * A failure counts only if the test passes again without the mutant. A test that does not, because it
 * cannot be repeated or because a mutant has damaged its state, is not used any more.
 */
import fc from 'fast-check'
import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from 'vitest'

/** What Stryker's instrumented code reads and writes. */
interface Instrumentation {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>
  }
}

declare module 'vitest' {
  interface TaskMeta {
    /** The mutants that a test reached, with the number of times. */
    reachedMutants?: Readonly<Record<string, number>>
    /** The mutants that a test noticed. */
    noticedMutants?: readonly string[]
    /** The mutants that were reached while modules were loaded. */
    staticMutants?: readonly string[]
  }
}

/** A mutant that is reached this many times as often as its original is an endless loop. */
const HIT_FACTOR = 100

// biome-ignore lint/style/noDefaultExport: Vitest loads the default export of a runner.
export default class MutantRunner extends TestRunner {
  readonly #noticed = new Set<string>()

  constructor(...args: ConstructorParameters<typeof TestRunner>) {
    super(...args)
    // A property test needs to fail, not to find its smallest counterexample.
    fc.configureGlobal({ numRuns: Number(process.env['FC_RUNS']), endOnFailure: true })
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const instrumentation = instrumentationOf()
    const run = TestRunner.getTestFn(test)
    instrumentation.currentTestId = test.id
    await run()
    const reached = instrumentation.mutantCoverage?.perTest[test.id] ?? {}
    test.meta.reachedMutants = { ...reached }
    // Later runs must not count as those of the original.
    instrumentation.currentTestId = 'mutants'
    const passes = async () => {
      try {
        await run()
        return true
      } catch {
        return false
      }
    }
    const noticed: string[] = []
    for (const [mutant, hits] of Object.entries(test.meta.reachedMutants)) {
      if (this.#noticed.has(mutant)) continue
      Object.assign(instrumentation, {
        activeMutant: mutant,
        hitCount: 0,
        hitLimit: HIT_FACTOR * hits,
      })
      const isNoticed = !(await passes()) || (instrumentation.hitCount ?? 0) > HIT_FACTOR * hits
      instrumentation.activeMutant = undefined
      if (!isNoticed) continue
      if (!(await passes())) break
      noticed.push(mutant)
      this.#noticed.add(mutant)
    }
    instrumentation.currentTestId = undefined
    test.meta.noticedMutants = noticed
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite)
    if (!('filepath' in suite)) return
    suite.meta.staticMutants = Object.keys(instrumentationOf().mutantCoverage?.static ?? {})
  }
}

function instrumentationOf(): Instrumentation {
  const global = globalThis as { __stryker__?: Instrumentation }
  global.__stryker__ ??= {}
  return global.__stryker__
}
