/** Runs the real `oqs` command as a process, from the bundle of the test run. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../src/server/config.ts'
import { killProcess, startProcess } from './own-process.ts'
import { bundleFolder, programEnvironment } from './run-folder.ts'

/** The command of the checkout, which runs the source. */
export const OQS_FROM_SOURCE = fileURLToPath(new URL('../../bin/oqs.js', import.meta.url))

const bundle = bundleFolder()

/** The command of the bundle in a test run; that of the checkout in scripts. */
export const OQS = bundle === undefined ? OQS_FROM_SOURCE : join(bundle, 'bin/oqs.js')

/** A release that runs the examples of commands and documents instead, such as an executable file. */
export const RELEASED_OQS = process.env['OQS_TEST_PROGRAM']

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end. */
export async function runOqs(
  args: readonly string[],
  settings: Environment = {},
): Promise<Finished> {
  const process = startOqs(args, settings)
  const code = await process.ended
  return { code, stdout: process.stdout(), stderr: process.stderr() }
}

export interface OqsProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves to the exit status. */
  readonly ended: Promise<number | null>
}

export function startOqs(
  args: readonly string[],
  settings: Environment = {},
  stdin: 'ignore' | 'pipe' = 'ignore',
): OqsProcess {
  if (RELEASED_OQS !== undefined) return startProgram(RELEASED_OQS, args, settings, { stdin })
  return startNode([OQS, ...args], settings, stdin)
}

export function startNode(
  args: readonly string[],
  settings: Environment,
  stdin: 'ignore' | 'pipe' = 'ignore',
  cwd?: string,
): OqsProcess {
  return startProgram(process.execPath, args, settings, { stdin, cwd })
}

export interface ProgramOptions {
  readonly stdin?: 'ignore' | 'pipe'
  readonly cwd?: string | undefined
  /** Opens a channel for messages. */
  readonly hasChannel?: boolean
}

/** Starts any program on the PATH. */
export function startProgram(
  program: string,
  args: readonly string[],
  settings: Environment = {},
  { stdin = 'ignore', cwd, hasChannel = false }: ProgramOptions = {},
): OqsProcess {
  const child = startProcess(program, args, {
    env: { ...programEnvironment(), ...settings },
    stdio: [stdin, 'pipe', 'pipe', hasChannel ? 'ipc' : 'ignore'],
    cwd,
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    async [Symbol.asyncDispose]() {
      killProcess(child)
      await ended
    },
  }
}

/** Waits for a line of standard output that starts with a prefix; returns the rest of the line. */
export async function waitForLine(process: OqsProcess, prefix: string): Promise<string> {
  for (;;) {
    const line = process
      .stdout()
      .split('\n')
      .slice(0, -1)
      .find((text) => text.startsWith(prefix))
    if (line !== undefined) return line.slice(prefix.length).trim()
    const more = once(process.child.stdout ?? process.child, 'data').then(() => 'data')
    if ((await Promise.race([more, process.ended])) !== 'data') {
      throw new Error(`the process ended without a line "${prefix}…": ${process.stderr()}`)
    }
  }
}

/** Returns the complete log lines of one event. */
export function logLinesOf<Line extends { readonly msg: string }>(
  process: OqsProcess,
  event: string,
): Line[] {
  return process
    .stderr()
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => msg === event)
}

/** Returns the process ids of the workers that have started, in the order of the log. */
export function startedPids(oqs: OqsProcess): number[] {
  return logLinesOf<{ msg: string; pid: number }>(oqs, 'started').map(({ pid }) => pid)
}
