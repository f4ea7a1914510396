import type { Reporter, TestModule } from 'vitest/node'

/** Ends the output of a run with `N passed, N failed`, the line that `.ci/run` requires. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0
    let failed = errors.length
    let skipped = 0
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        else if (state === 'skipped') skipped += 1
        else failed += 1
      }
      // A file that could not be loaded has no tests.
      failed += module.errors().length
    }
    const rest = skipped === 0 ? '' : `, ${skipped} skipped`
    process.stdout.write(`\n${passed} passed, ${failed} failed${rest}\n`)
  }
}
