/** A running service with objects in it, and callers of their own. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runOqs } from '../../test/support/oqs-process.ts'
import { ownMegabytes } from '../bench/memory.ts'
import type { Workspace } from '../bench/workspace.ts'
import { BATCH_PATH, DEFINITION, item, ONTOLOGY } from './dataset.ts'
import type { LoopReport } from './loop-monitor.ts'

const OQS = fileURLToPath(new URL('../../bin/oqs.js', import.meta.url))
const LOOP_MONITOR = new URL('./loop-monitor.ts', import.meta.url).href
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100']
const BATCH_OBJECTS = 20_000

export interface OverloadedService extends AsyncDisposable {
  readonly url: string
  readonly adminToken: string
  createToken(name: string): Promise<string>
  /** Own memory of the service and its reader processes, in MB. */
  ownMegabytes(): number
  /** The longest stretch of the main thread since the last call, in ms. */
  longestStretch(): Promise<number>
  hasEnded(): boolean
}

export async function startOverloadedService(
  workspace: Workspace,
  store: string,
  {
    objects,
    settings = {},
  }: { readonly objects: number; readonly settings?: Record<string, string> },
): Promise<OverloadedService> {
  const adminToken = randomBytes(24).toString('base64url')
  const environment = {
    PATH: process.env['PATH'],
    OQS_PORT: '0',
    OQS_STORE: store,
    OQS_ADMIN_TOKEN: adminToken,
    OQS_LOG_LEVEL: 'error',
    // What protects others must hold without this limit, too.
    OQS_RATE_LIMIT_PER_MINUTE: 'none',
    ...settings,
  }
  const child = fork(OQS, ['serve'], {
    env: environment,
    execArgv: [...FLAGS, '--import', LOOP_MONITOR],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  workspace.adopt(child)
  const url = await readUrl(child)
  await load(url, adminToken, objects)
  return {
    url,
    adminToken,
    createToken: async (name) => {
      const scopes = 'api:ontologies-read,api:ontologies-write'
      const args = ['token', 'create', '--name', name, '--scope', scopes]
      return (await runOqs(args, environment)).stdout.trim()
    },
    ownMegabytes: () =>
      familyOf(child.pid ?? 0).reduce((sum, pid) => sum + (ownMegabytes(pid) ?? 0), 0),
    longestStretch: async () => {
      const answer = once(child, 'message')
      child.send('loop')
      return ((await answer) as [LoopReport])[0].longestMs
    },
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await exited
    },
  }
}

async function readUrl(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += chunk
    const url = /^listening on (\S+)/m.exec(text)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the service ended before it listened')
}

async function load(url: string, token: string, objects: number): Promise<void> {
  const send = async (method: string, path: string, type: string, body: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const answer = await fetch(url + path, { method, headers, body })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  const definitionPath = `/api/admin/v1/ontologies/${ONTOLOGY}`
  await send('PUT', definitionPath, 'application/json', JSON.stringify(DEFINITION))
  for (let from = 0; from < objects; from += BATCH_OBJECTS) {
    const count = Math.min(BATCH_OBJECTS, objects - from)
    const lines = Array.from({ length: count }, (_, n) => JSON.stringify({ put: item(from + n) }))
    await send('POST', BATCH_PATH, 'application/x-ndjson', lines.join('\n'))
  }
}

/** A process and those that it has started. */
function familyOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return [
      pid,
      ...children
        .split(' ')
        .filter(Boolean)
        .flatMap((child) => familyOf(Number(child))),
    ]
  } catch {
    return []
  }
}
