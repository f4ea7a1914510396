/** Measures whether the tests notice changed code; see the help. */
import { globSync } from 'node:fs'
import { relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { type Part, runCommand } from './measure/command.ts'
import { atLeast, toMarkdown } from './measure/report.ts'

/** The share of changes that the tests of each group must notice. */
const MIN_SCORE = 80

/** The code whose tests must notice changes, and those tests. They run for each, so they must be quick. */
interface Group {
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

/** By the name that `--only` takes. */
const GROUPS: Readonly<Record<string, Group>> = {
  tokens: {
    files: ['src/paging/{page-limits,page-token,token-keys,walk-tokens}.ts'],
    tests: ['src/paging/*.test.ts'],
  },
  paging: {
    files: ['src/paging/{relevance-cursor,set-cursor}.ts'],
    tests: ['src/paging/*.test.ts'],
  },
  planning: {
    files: ['src/store/sql/plan/{alternatives,plan-rules}.ts', 'src/store/*/pages/plan-page.ts'],
    tests: [
      'src/store/sql/plan/{alternatives,plan-rules}.test.ts',
      'src/store/*/pages/plan-page.test.ts',
    ],
  },
  parsing: {
    files: ['src/query/parse/*.ts'],
    tests: ['src/query/parse/*.test.ts'],
  },
  authorisation: {
    files: [
      'src/access/policies/{check-policy,claims,policy-rights,policy,view-ontology}.ts',
      'src/access/{caller-rights,check-names,find-visible,ruled-objects}.ts',
    ],
    tests: [
      'src/access/*.test.ts',
      'src/access/policies/*.test.ts',
      'test/http/authentication.test.ts',
    ],
  },
}

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

await runCommand({
  name: 'mutation',
  about: `Changes the code in small ways (Stryker) and runs its tests on each change. Prints the changes that
no test noticed, and the scores. Takes a second for each change: up to half an hour for a group.`,
  parts: Object.fromEntries(
    Object.entries(GROUPS).map(([name, group]) => [name, partOf(name, group)]),
  ),
  texts: {
    'files=GLOBS': 'only these files of the groups, comma separated; judge the sum of the parts',
  },
})

function partOf(name: string, group: Group): Part<{ readonly workers: number }> {
  return {
    about: group.files.join(', '),
    full: { workers: 2 },
    stores: ['SQLite'],
    async run({ numbers, texts, print }) {
      const files = texts['files']?.split(',') ?? group.files
      const mutants = await runStryker({ ...group, files }, numbers.workers)
      const byFile = Map.groupBy(mutants, ({ fileName }) => fileName)
      const scores = [...byFile].sort().map(([file, own]) => scoreOf(relative('.', file), own))
      const total = scoreOf('all files', mutants)
      const header = ['File', 'changes', 'noticed', 'score', 'not tried']
      print(toMarkdown([header, ...[...scores, total].map(({ cells }) => cells)]))
      return [atLeast(MIN_SCORE, `${name}, percent noticed`, total.percent)]
    },
  }
}

async function runStryker(
  { files, tests }: Group,
  workers: number,
): Promise<readonly MutantResult[]> {
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
  return stryker.runMutationTest()
}

/** Returns the share of the changes that the tests notice, in percent, and the cells of a table. */
function scoreOf(name: string, mutants: readonly MutantResult[]) {
  const count = (...statuses: readonly MutantResult['status'][]) =>
    mutants.filter(({ status }) => statuses.includes(status)).length
  const noticed = count('Killed', 'Timeout')
  const tried = noticed + count('Survived', 'NoCoverage')
  const percent = tried === 0 ? 100 : (100 * noticed) / tried
  const numbers = [tried, noticed, `${percent.toFixed(1)} %`, count('Ignored')]
  return { percent, cells: [name, ...numbers.map(String)] }
}
