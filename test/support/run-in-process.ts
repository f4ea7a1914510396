/** Runs commands in the process of the tests: a process of their own takes half a second each. */
import { vi } from 'vitest'
import { describeError, main } from '../../src/cli/main.ts'
import { buildProgram } from '../../src/cli/program.ts'
import type { Environment } from '../../src/server/config.ts'
import type { Finished } from './oqs-process.ts'

export interface RanInProcess {
  /** The message of the error, with its advice; empty if the command succeeded. */
  readonly error: string
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command with the settings of this process. */
export async function runInProcess(...args: readonly string[]): Promise<RanInProcess> {
  const written = captureOutput()
  const program = await buildProgram(args)
  const error = await program.parseAsync(args, { from: 'user' }).then(() => '', describeError)
  vi.restoreAllMocks()
  return { error, ...written('latin1') }
}

/** Runs a command to its end, with the given settings only, as `runOqs` does in a process. */
export async function runCommand(
  args: readonly string[],
  settings: Environment,
): Promise<Finished> {
  const outer = { ...process.env }
  const errorListeners = process.stdout.listeners('error')
  for (const name of Object.keys(outer).filter((name) => name.startsWith('OQS_'))) {
    delete process.env[name]
  }
  Object.assign(process.env, settings)
  const written = captureOutput()
  try {
    const code = await main(args)
    return { code, ...written('utf8') }
  } finally {
    vi.restoreAllMocks()
    for (const name of Object.keys(settings)) delete process.env[name]
    Object.assign(process.env, outer)
    // A process has one command, which adds its listener to the standard output once.
    for (const listener of process.stdout.listeners('error')) {
      if (!errorListeners.includes(listener)) {
        process.stdout.removeListener('error', listener as () => void)
      }
    }
  }
}

/** Collects what is written until the mocks are restored. */
function captureOutput() {
  const written = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((piece) => {
      written[name].push(Buffer.from(piece as string))
      return true
    })
  }
  return (encoding: BufferEncoding) => ({
    stdout: Buffer.concat(written.stdout).toString(encoding),
    stderr: Buffer.concat(written.stderr).toString(encoding),
  })
}
