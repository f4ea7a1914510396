/** Servers in processes of their own, so that their CPU time and memory can be read. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Target } from './connection.ts'
import type { Workspace } from './workspace.ts'

export interface MeasuredServer extends Target, AsyncDisposable {
  readonly child: ChildProcess
  readonly pid: number
  /** Milliseconds from the start of the process until it was ready. */
  readonly startMs: number
}

export interface ServerCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly folder?: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Opens a channel for messages. */
  readonly hasChannel?: boolean
}

/** Waits until a server accepts requests, and returns its address. */
export type WaitUntilReady = (child: ChildProcess) => Promise<URL>

const STOP_MS = 10_000

export async function startServer(
  workspace: Workspace,
  command: ServerCommand,
  untilReady: WaitUntilReady = listeningUrl,
): Promise<MeasuredServer> {
  const { file, args, env = {}, folder = workspace.folder, headers = {}, hasChannel } = command
  const started = performance.now()
  const stdio: SpawnOptions['stdio'] = ['ignore', 'pipe', 'pipe', hasChannel ? 'ipc' : 'ignore']
  const child = spawn(file, args, { cwd: folder, env: { ...cleanEnvironment(), ...env }, stdio })
  workspace.adopt(child)
  const failed = once(child, 'error').then(([error]) => Promise.reject(error))
  const lastError = keepTail(child)
  try {
    const url = await Promise.race([untilReady(child), failed])
    // A full pipe would block the server.
    child.stdout?.resume()
    const startMs = performance.now() - started
    const stop = () => stopProcess(child)
    return { child, pid: child.pid ?? 0, startMs, url, headers, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stopProcess(child)
    throw new Error(`${(error as Error).message} ${lastError()}`.trim())
  }
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
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^OQS_/.test(name)))
}

/** The service prints its address when it is ready. */
async function listeningUrl({ stdout }: ChildProcess): Promise<URL> {
  if (stdout === null) throw new Error('The server has no standard output.')
  for await (const line of createInterface({ input: stdout })) {
    const url = /^listening on (\S+)/.exec(line)?.[1]
    if (url !== undefined) return new URL(url)
  }
  throw new Error('A server exited before it was ready.')
}

/** Keeps the last line of standard error, for the message of a failure. */
export function keepTail(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text = `${text}${chunk}`.slice(-600)
  })
  return () => text.trim().split('\n').at(-1) ?? ''
}
