import { inject } from 'vitest'
import './test-store.ts'

/** Every run of `npm test` tries the same cases, so it fails only for a change that it tests. */
const SEED = 20_261_116

/**
 * Returns the options of a property test: `FC_SEED` replays a failure, or is `random` for cases that
 * were not tried before; `FC_RUNS` sets the number of cases. `runsOnServer` applies to stores on a
 * database server, which are slower. `npm test` tries a third of the cases, `npm run test:long` all.
 */
export function fcOptions(
  runs: number,
  runsOnServer: number = runs,
): { numRuns: number; seed?: number } {
  const seed = process.env['FC_SEED'] ?? SEED
  const allRuns = inject('store') === 'sqlite' ? runs : runsOnServer
  const defaultRuns = inject('cases') === 'third' ? Math.ceil(allRuns / 3) : allRuns
  const numRuns = Number(process.env['FC_RUNS'] ?? defaultRuns)
  return seed === 'random' ? { numRuns } : { numRuns, seed: Number(seed) }
}
