import { inject } from 'vitest'
import './test-store.ts'

/**
 * Returns the options of a property test: `FC_SEED` replays a failure, `FC_RUNS` sets the number of
 * cases. `runsOnServer` applies to stores on a database server, which are slower.
 */
export function fcOptions(
  runs: number,
  runsOnServer: number = runs,
): { numRuns: number; seed?: number } {
  const seed = process.env['FC_SEED']
  const defaultRuns = inject('store') === 'sqlite' ? runs : runsOnServer
  const numRuns = Number(process.env['FC_RUNS'] ?? defaultRuns)
  return seed === undefined ? { numRuns } : { numRuns, seed: Number(seed) }
}
