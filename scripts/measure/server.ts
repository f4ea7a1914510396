/** Servers and commands in processes of their own, so that their CPU time and memory can be read. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Target } from './connection.ts'
import { type Cost, endedChildrenMicros, treeMegabytes, watchMemory } from './process-stats.ts'
import type { Workspace } from './workspace.ts'

export interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly folder?: string
}

export interface ServerCommand extends Program {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Opens a channel for messages. */
  readonly hasChannel?: boolean
}

export interface MeasuredServer extends Target, AsyncDisposable {
  readonly child: ChildProcess
  readonly pid: number
  /** Milliseconds from the start of the process until it was ready. */
  readonly startMs: number
}

const STOP_MS = 10_000

/** Starts a server; by default it prints its address when it is ready. */
export async function startServer(
  workspace: Workspace,
  { headers = {}, hasChannel = false, ...program }: ServerCommand,
  untilReady: (child: ChildProcess) => Promise<URL> = listeningUrl,
): Promise<MeasuredServer> {
  const started = performance.now()
  const child = spawnProgram(workspace, program, 'ignore', hasChannel ? 'ipc' : 'ignore')
  const failed = once(child, 'error').then(([error]) => Promise.reject(error))
  const lastError = keepTail(child)
  const stop = () => stopProcess(child)
  try {
    const url = await Promise.race([untilReady(child), failed])
    // A full pipe would block the server.
    child.stdout?.resume()
    const startMs = performance.now() - started
    return { child, pid: child.pid ?? 0, startMs, url, headers, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw new Error(`${(error as Error).message} ${lastError()}`.trim(), { cause: error })
  }
}

/** Runs a program to its end; rejects unless its status is 0. */
export async function runProgram(
  workspace: Workspace,
  program: Program,
  input: Iterable<string> = [],
): Promise<Cost> {
  const cpuBefore = endedChildrenMicros()
  const started = performance.now()
  const child = spawnProgram(workspace, program, 'pipe', 'ignore')
  const lastError = keepTail(child)
  child.stdout?.resume()
  using memory = watchMemory(child.pid ?? 0, treeMegabytes)
  const writeInput = async () => {
    if (child.stdin) await pipeline(Readable.from(input), child.stdin)
  }
  // The program may end before it has read everything; its status says why.
  const [[status]] = await Promise.all([once(child, 'close'), writeInput().catch(() => {})])
  if (status !== 0)
    throw new Error(`${program.args.join(' ')} failed with ${status}: ${lastError()}`)
  const seconds = (performance.now() - started) / 1000
  return { seconds, cpuMicros: endedChildrenMicros() - cpuBefore, megabytes: memory.end() }
}

function spawnProgram(
  workspace: Workspace,
  { file, args, env = {}, folder = workspace.folder }: Program,
  stdin: 'pipe' | 'ignore',
  channel: 'ipc' | 'ignore',
): ChildProcess {
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...cleanEnvironment(), ...env },
    stdio: [stdin, 'pipe', 'pipe', channel],
  })
  workspace.adopt(child)
  return child
}

/** Stops a process and waits for its end. */
async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(timer)
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Returns the environment without settings of the user, which would change what is measured. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^OQS_/.test(name)))
}

/** Yields the addresses that a server prints, until it exits. */
export async function* listeningUrls({ stdout }: ChildProcess): AsyncGenerator<URL> {
  if (stdout === null) throw new Error('The server has no standard output.')
  for await (const line of createInterface({ input: stdout })) {
    const url = /^listening on (\S+)/.exec(line)?.[1]
    if (url !== undefined) yield new URL(url)
  }
}

async function listeningUrl(child: ChildProcess): Promise<URL> {
  for await (const url of listeningUrls(child)) return url
  throw new Error('A server exited before it was ready.')
}

/** Keeps the last line of standard error, for the message of a failure. */
function keepTail(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text = `${text}${chunk}`.slice(-600)
  })
  return () => text.trim().split('\n').at(-1) ?? ''
}
