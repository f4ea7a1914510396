/** Measures whether the tests notice changed code; see the help. */
import { Stryker } from '@stryker-mutator/core'
import { runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { toMarkdown } from './measure/table.ts'

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

interface Part {
  readonly mutate: readonly string[]
  readonly tests: readonly string[]
}

const PARTS: Readonly<Record<string, Part>> = {
  paging: {
    mutate: ['src/paging/*.ts'],
    tests: ['src/paging/*.test.ts'],
  },
  planning: {
    mutate: ['src/store/sql/plan-rules.ts', 'src/store/*/pages/plan-page.ts'],
    tests: ['src/store/**/plan-*.test.ts'],
  },
  parsing: {
    mutate: ['src/query/parse/*.ts'],
    tests: ['src/query/**/*.test.ts'],
  },
  authorisation: {
    mutate: [
      'src/http/request/admit-caller.ts',
      'src/http/request/api-token.ts',
      'src/http/request/caller-rights.ts',
      'src/http/request/caller.ts',
      'src/http/request/resolve.ts',
    ],
    tests: [
      'test/http/authentication.test.ts',
      'test/http/callers.test.ts',
      'test/http/limited-tokens.test.ts',
    ],
  },
}
const NAMES = Object.keys(PARTS)

/** The share of mutants that the tests of each part must notice. */
const MIN_SCORE = 80

const HELP = `Usage: npm run mutation -- [options]

Changes the code in small ways (Stryker) and runs its tests on each change. Fails when the tests of a
part notice less than ${MIN_SCORE} % of the changes. Takes minutes to an hour for each part.

  --only PART       one part: ${NAMES.join(', ')}
  --mutate FILES    only these files of the part, comma separated
  --concurrency N   test runners at a time (2)
  --help            this text`

await runScript({
  name: 'mutation',
  help: HELP,
  options: { only: TEXT, mutate: TEXT, concurrency: TEXT },
  async run({ only, mutate, ...values }) {
    if (only !== undefined && !NAMES.includes(only)) {
      throw new Error(`--only is ${only}, but must be one of ${NAMES.join(', ')}.`)
    }
    const concurrency = wholeNumber('--concurrency', values.concurrency, { min: 1, usual: 2 })
    const rows: string[][] = []
    let passed = true
    for (const [name, part] of Object.entries(PARTS)) {
      if (only !== undefined && only !== name) continue
      const chosen = mutate === undefined ? part : { ...part, mutate: mutate.split(',') }
      const { noticed, missed } = count(await runStryker(chosen, concurrency))
      const score = (100 * noticed) / (noticed + missed)
      rows.push([name, String(noticed), String(missed), `${score.toFixed(1)} %`])
      passed = passed && score >= MIN_SCORE
    }
    console.log(`\n${toMarkdown([['Part', 'noticed', 'missed', 'score'], ...rows])}`)
    return passed
  },
})

function runStryker({ mutate, tests }: Part, concurrency: number): Promise<MutantResult[]> {
  // The runners are processes, which get both with their environment.
  process.env['OQS_MUTATION_TESTS'] = tests.join(',')
  // Property tests run for each mutant, so they try fewer cases.
  process.env['FC_RUNS'] ??= '40'
  const stryker = new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
    mutate: [...mutate, '!src/**/*.test.ts'],
    coverageAnalysis: 'perTest',
    // Code that runs once, when a module is loaded, would need a new process for each mutant.
    ignoreStatic: true,
    concurrency,
    timeoutMS: 60_000,
    reporters: ['clear-text'],
    // Stryker rewrites this file with the programming interface of TypeScript, which has none.
    tsconfigFile: 'none',
    ignorePatterns: ['docs', 'dist', 'data'],
    allowEmpty: true,
  })
  return stryker.runMutationTest()
}

function count(results: readonly MutantResult[]): {
  readonly noticed: number
  readonly missed: number
} {
  const have = (...statuses: readonly MutantResult['status'][]) =>
    results.filter(({ status }) => statuses.includes(status)).length
  return { noticed: have('Killed', 'Timeout'), missed: have('Survived', 'NoCoverage') }
}
