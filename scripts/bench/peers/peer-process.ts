import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../http-client.ts'
import { CONCURRENCY } from '../options.ts'
import type { Workspace } from '../workspace.ts'

/** Starts and ends the process of a peer. */

export interface PeerProcess extends Target, AsyncDisposable {
  readonly pid: number
}

export interface PeerCommand {
  readonly file: string
  readonly words: readonly string[]
  /** Added to the environment. */
  readonly settings?: Readonly<Record<string, string>>
  readonly folder: string
  readonly port: number
  /** Answered with success when the peer is ready. */
  readonly readyPath: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

const READY_MS = 120_000
const LOOK_MS = 100
const STOP_MS = 5000
const OUTPUT_LENGTH = 600

export async function startPeerProcess(
  workspace: Workspace,
  command: PeerCommand,
): Promise<PeerProcess> {
  const { file, words, settings, folder, port, readyPath, headers = {} } = command
  const child = spawn(file, words, {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production', ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  workspace.adopt(child)
  const output = lastOutput(child)
  const url = new URL(`http://127.0.0.1:${port}`)
  try {
    await untilReady(child, new URL(readyPath, url))
  } catch (error) {
    await stop(child)
    throw new Error(`${(error as Error).message} ${output()}`.trim())
  }
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  return {
    pid: child.pid ?? 0,
    url,
    agent,
    headers,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await stop(child)
    },
  }
}

async function untilReady(child: ChildProcess, url: URL): Promise<void> {
  let failure: Error | undefined
  child.once('error', (error) => {
    failure = error
  })
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(LOOK_MS)) {
    if (failure !== undefined) throw failure
    if (hasEnded(child)) throw new Error('It ended before it was ready.')
    if (await answers(url)) return
  }
  throw new Error('It was not ready in time.')
}

async function answers(url: URL): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(READY_MS) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(late)
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function lastOutput(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text = `${text}${chunk}`.slice(-OUTPUT_LENGTH)
  })
  return () => text.trim()
}
