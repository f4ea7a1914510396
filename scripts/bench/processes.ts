import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { constantPageFile } from './bare-paths.ts'
import { readBody, type Target } from './http-client.ts'
import { PAGE_SIZES } from './options.ts'
import { listPages } from './requests.ts'
import type { Workspace } from './workspace.ts'

/** A server in a process of its own, so that its processor time is its own. */
export interface MeasuredProcess extends Target, AsyncDisposable {
  readonly pid: number
  /** The time from its start until it listened. */
  readonly startMs: number
}

const SERVICE = new URL('../../bin/oqs.js', import.meta.url)
const BARE_SERVER = new URL('./bare-server.ts', import.meta.url)
/** Tokens and snapshots are used until the end of the run. */
const LIFE_SECONDS = '86400'

export async function startService(
  workspace: Workspace,
  store = workspace.sqlite,
  special: Readonly<Record<string, string>> = {},
): Promise<MeasuredProcess> {
  const token = randomBytes(24).toString('base64url')
  const settings = {
    OQS_PORT: '0',
    OQS_STORE: store,
    OQS_ADMIN_TOKEN: token,
    OQS_RATE_LIMIT_PER_MINUTE: 'none',
    OQS_MAX_CONCURRENT_REQUESTS: 'none',
    OQS_LIST_OBJECTS_LIMIT: 'none',
    OQS_LOG_LEVEL: 'error',
    OQS_PAGE_TOKEN_TTL_SECONDS: LIFE_SECONDS,
    OQS_SNAPSHOT_MAX_AGE_SECONDS: LIFE_SECONDS,
    ...special,
  }
  const words = [fileURLToPath(SERVICE), 'serve']
  return start(workspace, words, settings, { authorization: `Bearer ${token}` })
}

/** The server that does no more than HTTP asks for, with constant pages taken from the service. */
export async function startBareServer(
  workspace: Workspace,
  service: MeasuredProcess,
  store: string,
): Promise<MeasuredProcess> {
  for (const pageSize of PAGE_SIZES) {
    const page = await readBody(service, listPages()(pageSize))
    writeFileSync(join(workspace.folder, constantPageFile(pageSize)), page)
  }
  const words = [fileURLToPath(BARE_SERVER), workspace.folder, store]
  return start(workspace, words, {}, {})
}

async function start(
  workspace: Workspace,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Promise<MeasuredProcess> {
  const started = performance.now()
  const child = spawn(process.execPath, words, {
    env: { ...withoutSettings(process.env), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  workspace.adopt(child)
  const url = await readUrl(child.stdout)
  const startMs = performance.now() - started
  const agent = new Agent({ keepAlive: true })
  return {
    pid: child.pid ?? 0,
    startMs,
    url,
    agent,
    headers,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await stop(child)
    },
  }
}

/** What the user has set for a service of their own must not change what is measured. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('OQS_')),
  )
}

async function readUrl(stdout: Readable): Promise<URL> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /^listening on (\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    // Nobody reads on, and a full pipe would stop the child.
    stdout.resume()
    return new URL(url)
  }
  throw new Error('a server ended before it listened')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
