import { vi } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'

export interface RanInProcess {
  /** The message of the error, with its advice; empty if the command succeeded. */
  readonly error: string
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command in this process, for tests of many commands: a process takes half a second. */
export async function runInProcess(...args: readonly string[]): Promise<RanInProcess> {
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString('latin1')
      return true
    })
  }
  const program = await buildProgram(args)
  const error = await program.parseAsync(args, { from: 'user' }).then(
    () => '',
    ({ message, advice = '' }: Error & { advice?: string }) => `${message} ${advice}`.trim(),
  )
  vi.restoreAllMocks()
  return { error, ...written }
}
