/** Options of a property test: `FC_SEED` replays a failure, `FC_RUNS` changes how many cases run. */
export function fcOptions(runs: number): { numRuns: number; seed?: number } {
  const seed = process.env['FC_SEED']
  const numRuns = Number(process.env['FC_RUNS'] ?? runs)
  return seed === undefined ? { numRuns } : { numRuns, seed: Number(seed) }
}
