/** Runs Stryker on a group, and counts the changes that its tests notice. */
import { globSync } from 'node:fs'
import { Stryker } from '@stryker-mutator/core'
import type { Group } from './groups.ts'

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

export interface Score {
  readonly noticed: number
  readonly missed: number
  /** Changes that were not tried: of code that runs once, when its module is loaded. */
  readonly untried: number
}

/** Returns the score of each file. */
export async function runStryker(
  { files, tests }: Group,
  workers: number,
): Promise<ReadonlyMap<string, Score>> {
  const unmatched = [...files, ...tests].find((pattern) => globSync(pattern).length === 0)
  if (unmatched !== undefined) throw new Error(`No file matches ${unmatched}.`)
  // Vitest runs in another process, which gets these with its environment.
  process.env['OQS_MUTATION_TESTS'] = JSON.stringify(tests)
  // Property tests run for each mutant, so they try fewer cases.
  process.env['FC_RUNS'] ??= '40'
  const stryker = new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
    mutate: [...files, '!src/**/*.test.ts'],
    coverageAnalysis: 'perTest',
    // Code that runs once, when a module is loaded, would need a new process for each mutant.
    ignoreStatic: true,
    concurrency: workers,
    dryRunTimeoutMinutes: 120,
    reporters: ['clear-text'],
    clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: false },
    // Stryker rewrites this file with the programming interface of TypeScript, which has none.
    tsconfigFile: 'none',
    ignorePatterns: ['docs', 'dist', 'data'],
    allowEmpty: true,
  })
  const byFile = Map.groupBy(await stryker.runMutationTest(), ({ fileName }) => fileName)
  return new Map([...byFile].sort().map(([file, mutants]) => [file, scoreOf(mutants)]))
}

function scoreOf(mutants: readonly MutantResult[]): Score {
  const count = (...statuses: readonly MutantResult['status'][]) =>
    mutants.filter(({ status }) => statuses.includes(status)).length
  return {
    noticed: count('Killed', 'Timeout'),
    missed: count('Survived', 'NoCoverage'),
    untried: count('Ignored'),
  }
}
