/**
 * Kills the service or the command during imports and checks the result: only complete batches, no
 * acknowledged object lost, and a second run completes the import.
 */
import { createHash } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readExportEnd } from '../../src/formats/export-end.ts'
import { type OqsProcess, runOqs, startOqs, waitForLine } from './oqs-process.ts'
import { tempFolder } from './temp-folder.ts'

/** The number of rows in a batch of `oqs import`. */
const BATCH = 5000
const ROWS = 5 * BATCH
/** The key of the object that a replacement replaces. */
const OLD_ID = 1_000_000
const BYTES_PER_STEP = 3_000_000
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

export interface KilledImport {
  readonly victim: 'service' | 'command'
  readonly mode: 'upsert' | 'replace'
  /** The number of objects after the kill. */
  readonly left: number
}

/** Throws if a check fails. */
export async function killImports(
  kills: number,
  report: (killed: KilledImport) => void = () => {},
): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    const victim = kill % 2 === 0 ? 'service' : 'command'
    const mode = kill % 4 < 2 ? 'upsert' : 'replace'
    report({ victim, mode, left: await killOneImport(kill, victim, mode) })
  }
}

async function killOneImport(
  kill: number,
  victim: KilledImport['victim'],
  mode: KilledImport['mode'],
): Promise<number> {
  using folder = tempFolder()
  const file = join(folder.path, 'rows.ndjson')
  const lines = Array.from({ length: ROWS }, (_, id) => `${JSON.stringify(rowOf(id))}\n`)
  writeFileSync(file, lines.join(''))
  const store = { OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}`, OQS_ADMIN_TOKEN: TOKEN }
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
    const before = storeBytes(folder.path)
    await using command = startOqs(args, client)
    // Each kill comes at another time. The objects become visible at the end, so progress is visible
    // only on disk.
    const isFarEnough = () => storeBytes(folder.path) >= before + (kill % 5) * BYTES_PER_STEP
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
  if (mode === 'upsert' && left % BATCH !== 0) {
    throw new Error(`a partial batch is left: ${left} objects`)
  }
  const oldDigest = digestOf(`${JSON.stringify(rowOf(OLD_ID))}\n`)
  if (mode === 'replace' && left !== ROWS && leftDigest !== oldDigest) {
    throw new Error(`neither the old nor the new objects are complete: ${left} objects`)
  }
  await succeed(args, client)
  const { count, digest } = await exported(client)
  if (count !== ROWS || digest !== digestOf(lines.join(''))) {
    throw new Error(`the second run ended in another state: ${count} objects`)
  }
  return left
}

/** Returns the size of the files of the store. */
function storeBytes(folder: string): number {
  return ['oqs.db', 'oqs.db-wal'].reduce(
    (bytes, name) => bytes + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
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
  const text = await send(client, '/objects/row/export', { method: 'GET' })
  const lines = text.split('\n').filter((line) => line !== '')
  const end = readExportEnd('ndjson', lines.pop() ?? '')
  if (end?.kind !== 'complete' || end.count !== lines.length)
    throw new Error(`the export is not complete: ${text.slice(-200)}`)
  return { count: lines.length, digest: digestOf(lines.map((line) => `${line}\n`).join('')) }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
