import { parseArgs } from 'node:util'

/** Requests that are under way at any time. */
export const CONCURRENCY = 4

/** What a run can be asked for. */
export interface BenchOptions {
  readonly store: 'sqlite' | 'postgres'
  readonly objects: number
  readonly rounds: number
  /** How long each case is measured in each round: so long that it has its share of garbage. */
  readonly sliceMs: number
}

/** Below this there is no second full page of 1,000 with another one after it. */
const OBJECTS_MIN = 4000

const FULL: BenchOptions = { store: 'sqlite', objects: 1_000_000, rounds: 24, sliceMs: 250 }
const QUICK: BenchOptions = { store: 'sqlite', objects: 100_000, rounds: 8, sliceMs: 100 }

export const HELP = `Usage: npm run bench -- [options]

Loads a store of its own, starts the service on it and measures pages of 100 and
of 1,000 objects: the first and a deep one, default and snapshot, before and after a fifth of the
objects was updated. Exits with 1 when a target is missed.

  --postgres    on PostgreSQL: a server of its own, or a new database on that of OQS_TEST_POSTGRES
  --objects N   objects to load (${FULL.objects}; at least ${OBJECTS_MIN})
  --rounds N    rounds in which every case is measured once (${FULL.rounds})
  --quick       ${QUICK.objects} objects and ${QUICK.rounds} shorter rounds
  --help        this text

How to read the numbers:
  CPU µs   processor time of the server for one page, all its threads together (Linux only)
  p50, p99 time until the last byte of a page, with four requests always under way; the load
           generator shares the machine, so these and req/s say more about the machine than CPU µs
  ratios   the median over the rounds of what the two sides took in the same round, and between
           which quartiles the ratio of CPU µs lay: far apart means that the machine was busy

The bare store is node:http sending what the store's own page SQL gives, without the service around
it. The ceiling is node:http sending a constant page.`

export function readOptions(words: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...words],
    options: {
      objects: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  const usual = values.quick ? QUICK : FULL
  return {
    ...usual,
    store: values.postgres ? 'postgres' : 'sqlite',
    objects: wholeNumber('--objects', values.objects, OBJECTS_MIN) ?? usual.objects,
    rounds: wholeNumber('--rounds', values.rounds, 1) ?? usual.rounds,
  }
}

function wholeNumber(name: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < min) {
    throw new Error(`${name} is ${text}, but must be a whole number from ${min} up`)
  }
  return number
}
