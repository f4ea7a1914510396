import { inject } from 'vitest'
import './store-place.ts'

/**
 * Options of a property test: `FC_SEED` replays a failure, `FC_RUNS` changes how many cases run.
 * Fewer of them where each one waits for a database server.
 */
export function fcOptions(
  runs: number,
  runsOnServer: number = runs,
): { numRuns: number; seed?: number } {
  const seed = process.env['FC_SEED']
  const usual = inject('store') === 'sqlite' ? runs : runsOnServer
  const numRuns = Number(process.env['FC_RUNS'] ?? usual)
  return seed === undefined ? { numRuns } : { numRuns, seed: Number(seed) }
}
