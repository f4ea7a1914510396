/** The sizes of a run of `npm run bench`. */
import type { RoundOptions } from '../measure/rounds.ts'
import type { CeilingOptions } from './ceiling.ts'

export interface BenchOptions extends RoundOptions {
  readonly objects: number
  readonly ceiling: CeilingOptions
}

/** With fewer objects some queries have no two full pages. */
export const OBJECTS_MIN = 20_000

export const FULL: BenchOptions = {
  objects: 1_000_000,
  rounds: 12,
  sliceMs: 200,
  warmUpMs: 40_000,
  ceiling: { rounds: 5, seconds: 3 },
}

export const QUICK: BenchOptions = {
  objects: 30_000,
  rounds: 4,
  sliceMs: 40,
  warmUpMs: 500,
  ceiling: { rounds: 1, seconds: 1 },
}
