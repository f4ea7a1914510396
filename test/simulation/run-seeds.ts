/** Runs many seeds in several processes. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SeedMessage } from './seed-process.ts'

export interface SeedsSpec {
  readonly first: number
  readonly count: number
  readonly processes: number
  /** The URL of a PostgreSQL server; SQLite if undefined. */
  readonly postgres?: string | undefined
  /** The URL of a database on a Citus coordinator, in place of it. */
  readonly citus?: string | undefined
  /** The checkout whose service is simulated; this one if undefined. */
  readonly checkout?: string | undefined
  readonly onSeed?: (message: SeedMessage) => void
}

export interface SeedsResult {
  readonly clean: number
  /** The first failure that was reported. */
  readonly failed: SeedMessage | undefined
}

/** Runs seeds until one fails, or all are clean. Each process runs every n-th of them. */
export async function runSeeds(spec: SeedsSpec): Promise<SeedsResult> {
  const { first, count, processes } = spec
  let clean = 0
  let failed: SeedMessage | undefined
  const stop = new AbortController()
  const runs = Array.from({ length: Math.min(processes, count) }, async (_, at) => {
    const args = {
      first: first + at,
      count: Math.ceil((count - at) / processes),
      stride: processes,
      postgres: spec.postgres ?? '',
      citus: spec.citus ?? '',
    }
    const onMessage = (message: SeedMessage) => {
      if (message.failure === undefined) clean += 1
      else {
        failed ??= message
        stop.abort()
      }
      spec.onSeed?.(message)
    }
    await runProcess(programOf(spec), args, stop.signal, onMessage)
  })
  await Promise.all(runs)
  return { clean, failed }
}

function programOf({ checkout }: SeedsSpec): string {
  if (checkout !== undefined) return `${checkout}/test/simulation/seed-process.ts`
  return fileURLToPath(new URL('./seed-process.ts', import.meta.url))
}

async function runProcess(
  program: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  onMessage: (message: SeedMessage) => void,
): Promise<void> {
  const child = fork(
    program,
    Object.entries(args).map(([name, value]) => `--${name}=${value}`),
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  const end = () => child.kill()
  signal.addEventListener('abort', end)
  child.on('message', onMessage)
  const [status] = await once(child, 'exit')
  signal.removeEventListener('abort', end)
  if (status !== 0 && !signal.aborted) throw new Error(`a process ended with status ${status}`)
}
