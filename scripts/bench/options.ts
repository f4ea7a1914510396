import { parseArgs } from 'node:util'
import { ROUND_OPTIONS, wholeNumber } from './command-line.ts'

/** Requests that are under way at any time. */
export const CONCURRENCY = 4

export const PAGE_SIZES = [100, 1000] as const

export const STORES = ['SQLite', 'PostgreSQL'] as const
export type StoreName = (typeof STORES)[number]

/** What a run can be asked for. */
export interface BenchOptions {
  /** Measured one after the other. */
  readonly stores: readonly StoreName[]
  readonly objects: number
  readonly rounds: number
  /** How long each case is measured in each round: so long that it has its share of garbage. */
  readonly sliceMs: number
  /** How long each server is asked before anything counts. */
  readonly warmUpMs: number
  /** Whether the rounds are long enough to judge by. */
  readonly judges: boolean
  /** Whether other services are measured too. */
  readonly peers: boolean
  /** Whether the results become docs/benchmarks.md. */
  readonly writes: boolean
}

/** Below this there are not two full pages of 1,000 of some questions. */
const OBJECTS_MIN = 20_000

const FULL = { objects: 1_000_000, rounds: 12, sliceMs: 200, warmUpMs: 20_000 }
const QUICK = { objects: 30_000, rounds: 4, sliceMs: 40, warmUpMs: 300 }

export const HELP = `Usage: npm run bench -- [options]

Loads a store of its own, SQLite and then PostgreSQL, starts the service on it and measures pages of
100 and of 1,000 objects: beside the ceiling and the bare store, near and deep, default and snapshot,
with questions, before and after a fifth of the objects was updated; then two workers beside one, and
the memory of the service under many readers. A full run writes docs/benchmarks.md, which tells how
to read the numbers. It takes about 40 minutes and 6 GB in TMPDIR, which are given back. Exits with 1
when a mark is missed; the quick form judges nothing, its rounds are too short.

  --sqlite      SQLite only
  --postgres    PostgreSQL only: a server of its own, or a new database on that of OQS_TEST_POSTGRES
  --objects N   objects to load (${FULL.objects}; at least ${OBJECTS_MIN})
  --rounds N    rounds in which every case is measured once (${FULL.rounds})
  --quick       ${QUICK.objects} objects and ${QUICK.rounds} shorter rounds: about two minutes
  --peers       other services beside this one, where they are installed
  --write       write docs/benchmarks.md, whatever the run
  --help        this text`

export function readOptions(words: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...words],
    options: {
      ...ROUND_OPTIONS,
      sqlite: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const usual = values.quick ? QUICK : FULL
  const asked = { SQLite: values.sqlite, PostgreSQL: values.postgres }
  const chosen = STORES.filter((store) => asked[store])
  const stores = chosen.length === 0 ? STORES : chosen
  const objects = wholeNumber('--objects', values.objects, {
    min: OBJECTS_MIN,
    usual: usual.objects,
  })
  const rounds = wholeNumber('--rounds', values.rounds, { min: 1, usual: usual.rounds })
  const isFull = stores.length === STORES.length && objects >= FULL.objects && rounds >= FULL.rounds
  return {
    stores,
    objects,
    rounds,
    sliceMs: usual.sliceMs,
    warmUpMs: usual.warmUpMs,
    judges: !values.quick,
    peers: values.peers,
    writes: values.write || (isFull && !values.quick),
  }
}
