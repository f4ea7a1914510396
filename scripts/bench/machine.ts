import { cpus, loadavg, totalmem } from 'node:os'

/** The class of the machine: what figures depend on, and nothing that tells whose it is. */
export function describeMachine(): string {
  const load = (loadavg()[0] ?? 0).toFixed(1)
  const model = cpus()[0]?.model ?? 'unknown processor'
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  return `Node ${process.versions.node} on ${cpus().length} × ${model}, ${gigabytes} GB, load before the run ${load}`
}
