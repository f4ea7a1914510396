/**
 * Kills the service or the command during imports and checks the result: the old objects or the new
 * ones, no acknowledged object lost, and a second run completes the import.
 */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readExportEnd } from '../../src/formats/export-end.ts'
import { logLinesOf, type OqsProcess, runOqs, startOqs, waitForLine } from './oqs-process.ts'
import { tempFolder } from './temp-folder.ts'

/** The number of rows in a batch of `oqs import`. */
const BATCH = 5000
/** The key of the object that a replacement replaces. */
const OLD_ID = 1_000_000
/** The pause between two checks of the progress. */
const PAUSE_MS = 10
const TOKEN = 'token-of-the-killed-imports'
const TYPE = ['--ontology', 'kills', '--type', 'row']

const DEFINITION = {
  apiName: 'kills',
  objectTypes: [
    {
      apiName: 'row',
      primaryKey: 'id',
      properties: { id: { type: 'integer' }, text: { type: 'string' } },
    },
  ],
}

/** The phases of an import in which the service is killed. */
const PHASES = ['reading', 'writing', 'indexing', 'publishing'] as const

export interface ImportKill {
  /** Kills with different numbers come at different times. */
  readonly number: number
  readonly victim: 'service' | 'command'
  readonly mode: 'upsert' | 'replace'
  /** The number of batches that the rows of the file fill. */
  readonly batches: number
  /** Undefined to kill when a part of the data was sent. */
  readonly phase?: (typeof PHASES)[number]
}

export interface KilledImport extends ImportKill {
  /** The number of objects after the kill. */
  readonly left: number
  /** Whether all objects of the import were visible. */
  readonly isComplete: boolean
}

/** Returns kills of the service in each phase, and as many kills of the command. */
export function killsInEachPhase(kills: number, batches = 5): ImportKill[] {
  const modeOf = (number: number) => (number % 2 === 0 ? 'upsert' : 'replace')
  return Array.from({ length: kills }, (_, number): ImportKill[] => [
    { number, victim: 'command', mode: modeOf(number + 1), batches },
    ...PHASES.map((phase, at): ImportKill => {
      return { number, victim: 'service', mode: modeOf(number + at), phase, batches }
    }),
  ]).flat()
}

/** Creates an empty store for one import; its name is that for `OQS_STORE`. */
export type CreateStore = () => Promise<AsyncDisposable & { readonly name: string }>

/** Throws if a check fails. */
export async function killImports(
  createStore: CreateStore,
  kills: readonly ImportKill[],
  report: (killed: KilledImport) => void = () => {},
): Promise<void> {
  // Known after the first import that was completed.
  let indexes = Number.POSITIVE_INFINITY
  for (const kill of kills) {
    await using store = await createStore()
    const killed = await killOneImport(store.name, kill, indexes)
    indexes = killed.indexes
    const { left } = killed
    report({ ...kill, left, isComplete: left === kill.batches * BATCH })
  }
}

async function killOneImport(
  storeName: string,
  kill: ImportKill,
  indexes: number,
): Promise<{ readonly left: number; readonly indexes: number }> {
  const { victim, mode, phase } = kill
  const rows = kill.batches * BATCH
  using folder = tempFolder()
  const file = join(folder.path, 'rows.ndjson')
  const lines = Array.from({ length: rows }, (_, id) => `${JSON.stringify(rowOf(id))}\n`)
  writeFileSync(file, lines.join(''))
  const store = { OQS_STORE: storeName, OQS_ADMIN_TOKEN: TOKEN }
  const args = ['import', file, ...TYPE, ...(mode === 'replace' ? ['--replace'] : [])]

  let stderr = ''
  {
    await using service = startOqs(['serve'], { ...store, OQS_PORT: '0' })
    const client = await clientOf(service)
    const json = JSON.stringify(DEFINITION)
    await send(client, '', { method: 'PUT', body: json, type: 'application/json' })
    if (mode === 'replace') {
      const body = JSON.stringify({ put: rowOf(OLD_ID) })
      await send(client, '/objects/row', { method: 'POST', body, type: 'application/x-ndjson' })
    }
    await using command = startOqs(args, client)
    // Each kill comes at another time. The objects become visible at the end, so progress is visible
    // only in the log.
    const isFarEnough = () =>
      phase === undefined
        ? batchesOf(service) >= kill.number % 5
        : hasReached(service, phase, kill.number, indexes)
    while (command.child.exitCode === null && !isFarEnough()) await sleep(PAUSE_MS)
    if (victim === 'service') service.child.kill('SIGKILL')
    else command.child.kill('SIGKILL')
    await (victim === 'service' ? service.ended : command.ended)
    // Ends the retries of the command, which has no service any more.
    if (victim === 'service') command.child.kill('SIGINT')
    await command.ended
    stderr = command.stderr()
  }

  await using service = startOqs(['serve'], { ...store, OQS_PORT: '0' })
  const client = await clientOf(service)
  const { count: left, digest: leftDigest } = await exported(client)
  const acknowledged = Number(
    /([\d,]+) objects written/.exec(stderr)?.[1]?.replaceAll(',', '') ?? 0,
  )
  if (left < acknowledged) {
    throw new Error(`${acknowledged} objects were acknowledged, but only ${left} are left`)
  }
  if (mode === 'upsert' && left !== 0 && left !== rows) {
    throw new Error(`a part of the objects is visible: ${left} of ${rows}`)
  }
  const oldDigest = digestOf(`${JSON.stringify(rowOf(OLD_ID))}\n`)
  if (mode === 'replace' && left !== rows && leftDigest !== oldDigest) {
    throw new Error(`neither the old nor the new objects are complete: ${left} objects`)
  }
  await succeed(args, client)
  const { count, digest } = await exported(client)
  if (count !== rows || digest !== digestOf(lines.join(''))) {
    throw new Error(`the second run ended in another state: ${count} objects`)
  }
  return { left, indexes: Math.max(...progressOf(service).map(({ indexes: built = 0 }) => built)) }
}

interface ProgressLine {
  readonly msg: string
  readonly phase: 'writing' | 'indexing' | 'published'
  readonly indexes?: number
}

function progressOf(service: OqsProcess): readonly ProgressLine[] {
  return logLinesOf<ProgressLine>(service, 'replacementProgress')
}

/** Returns whether the log shows that an import has reached a phase, each kill a little later. */
function hasReached(
  service: OqsProcess,
  phase: (typeof PHASES)[number],
  number: number,
  indexes: number,
): boolean {
  const progress = progressOf(service)
  const built = Math.max(
    -1,
    ...progress.map((line) => (line.phase === 'indexing' ? (line.indexes ?? 0) : -1)),
  )
  switch (phase) {
    case 'reading':
      return progress.length > 0
    case 'writing':
      return batchesOf(service) > number % 4
    case 'indexing':
      return built >= number % 3
    case 'publishing':
      return built >= indexes || progress.some((line) => line.phase === 'published')
  }
}

/** Returns how many batches of a replacement were acknowledged. */
function batchesOf(service: OqsProcess): number {
  const requests = logLinesOf<{ msg: string; method: string; route: string; status: number }>(
    service,
    'requestFinished',
  )
  return requests.filter(
    ({ method, route, status }) =>
      method === 'POST' && route.endsWith('/objects/:objectType') && status === 200,
  ).length
}

function rowOf(id: number): { id: number; text: string } {
  return { id, text: `row ${id} of the file` }
}

interface Client extends Readonly<Record<string, string>> {
  readonly OQS_URL: string
}

async function clientOf(service: OqsProcess): Promise<Client> {
  return { OQS_URL: await waitForLine(service, 'listening on '), OQS_TOKEN: TOKEN }
}

async function succeed(args: readonly string[], client: Client): Promise<void> {
  const { code, stderr } = await runOqs(args, client)
  if (code !== 0) throw new Error(`oqs ${args[0]} exited with status ${code}: ${stderr}`)
}

interface AdminRequest {
  readonly method: string
  readonly body?: string
  readonly type?: string
}

/** Sends a request to the administration of the ontology, and returns the body of the response. */
async function send(client: Client, path: string, request: AdminRequest): Promise<string> {
  const { method, body, type = 'application/json' } = request
  const response = await fetch(`${client.OQS_URL}/api/admin/v1/ontologies/kills${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`)
  return text
}

async function exported(client: Client): Promise<{ count: number; digest: string }> {
  const text = await send(client, '/objects/row/export?endLine=true', { method: 'GET' })
  const lines = text.split('\n').filter((line) => line !== '')
  const end = readExportEnd('ndjson', lines.pop() ?? '')
  if (end?.kind !== 'complete' || end.count !== lines.length)
    throw new Error(`the export is not complete: ${text.slice(-200)}`)
  return { count: lines.length, digest: digestOf(lines.map((line) => `${line}\n`).join('')) }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
