import { parseArgs } from 'node:util'
import { ROUND_OPTIONS, wholeNumber } from '../bench/command-line.ts'

/** What a run can be asked for. */
export interface GrowthOptions {
  /** Numbers of objects, ascending: one store for each. */
  readonly sizes: readonly number[]
  readonly rounds: number
  readonly sliceMs: number
  /** Times that each service is started. */
  readonly starts: number
  /** Pages of 1,000 that each of the readers walks while memory is watched. */
  readonly pagesPerReader: number
  /** Whether marks are judged: rounds that are few and short tell no pass from a failure. */
  readonly judges: boolean
}

/** Below this there is no deep page of 1,000 with others before and behind it. */
const OBJECTS_MIN = 5000

const FULL: GrowthOptions = {
  sizes: [1_000_000, 3_000_000, 10_000_000],
  rounds: 24,
  sliceMs: 200,
  starts: 5,
  pagesPerReader: 100,
  judges: true,
}
const QUICK: GrowthOptions = {
  sizes: [10_000, 30_000, 100_000],
  rounds: 5,
  sliceMs: 50,
  starts: 1,
  pagesPerReader: 5,
  judges: false,
}

export const HELP = `Usage: npm run growth -- [options]

Loads a SQLite store of each size, starts the service on each of them, and prints how costs grow:
import, file, start-up, pages, questions, memory. The stores are there at the same time and are
measured by turns, so that a slow moment of the machine counts for all of them; so there must be
room on the disk for all of them. Exits with 1 when a page costs more than 1.3 times what it costs
with the fewest objects.

  --objects N,N,…  numbers of objects (${FULL.sizes.join(',')}; each at least ${OBJECTS_MIN})
  --rounds N       rounds in which every case is measured once (${FULL.rounds})
  --quick          ${QUICK.sizes.join(',')} objects, ${QUICK.rounds} shorter rounds: a minute, nothing judged
  --help           this text

A full run takes about 40 minutes and 32 GB, which are given back. TMPDIR says where the stores are
put. Behind each figure stands its ratio to the fewest objects: for
pages and questions the median over the rounds of CPU µs in the same round. The first page of a
listing with conditions counts its matches, and so grows with them.`

export function readOptions(words: readonly string[]): GrowthOptions | 'help' {
  const { values } = parseArgs({ args: [...words], options: ROUND_OPTIONS })
  if (values.help) return 'help'
  const usual = values.quick ? QUICK : FULL
  const sizes = values.objects
    ?.split(',')
    .map((text) => wholeNumber('--objects', text, { min: OBJECTS_MIN, usual: OBJECTS_MIN }))
  return {
    ...usual,
    sizes: sizes?.toSorted((a, b) => a - b) ?? usual.sizes,
    rounds: wholeNumber('--rounds', values.rounds, { min: 1, usual: usual.rounds }),
  }
}
