/**
 * Fills the disk of a service: files of its process can grow to a limit only, which needs no rights.
 * Then gives it room again, and checks that nothing is damaged or lost.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OQS, type OqsProcess, startOqs, startProgram, waitForLine } from './oqs-process.ts'
import { sendTo } from './service.ts'
import { tempFolder } from './temp-folder.ts'

const TOKEN = 'token-of-the-full-disk'
/** In blocks of 512 bytes, or of 1024 in some shells: enough for the start and a few batches. */
const FILE_BLOCKS = 8192
const OBJECTS_PER_BATCH = 500
const MAX_BATCHES = 100
const PATH = '/api/admin/v1/ontologies/full/objects/row'

const DEFINITION = {
  apiName: 'full',
  objectTypes: [
    {
      apiName: 'row',
      primaryKey: 'id',
      properties: { id: { type: 'integer' }, text: { type: 'string' } },
    },
  ],
}

export interface FullDisk {
  /** The response to the first batch that did not fit. */
  readonly refused: { readonly status: number; readonly reason: string }
  /** What probes, the status and the metrics say after that. */
  readonly shown: { readonly ready: unknown; readonly status: unknown; readonly metric: unknown }
  /** The objects of the batches that were acknowledged. */
  readonly acknowledged: number
  /** The objects that were visible, with the full disk and after the restart. */
  readonly left: number
  /** The status of a batch when there is room again. */
  readonly added: number
}

export async function fillDisk(): Promise<FullDisk> {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  const settings = { OQS_STORE: `sqlite:${path}`, OQS_ADMIN_TOKEN: TOKEN, OQS_PORT: '0' }
  let batches = 0
  let refused = { status: 200, reason: '' }
  let visible = 0
  let shown: FullDisk['shown'] | undefined
  {
    const script = `ulimit -f ${FILE_BLOCKS} && exec "$0" "$@"`
    const args = ['-c', script, process.execPath, OQS, 'serve']
    await using service = startProgram('sh', args, settings)
    const send = await clientOf(service)
    await send('/api/admin/v1/ontologies/full', { method: 'PUT', json: DEFINITION })
    while (refused.status === 200 && batches < MAX_BATCHES) {
      const { status, body } = await send(PATH, batchOf(batches))
      refused = { status, reason: body.parameters?.reason ?? '' }
      if (status === 200) batches += 1
    }
    visible = await countObjects(send)
    shown = await readHealth(send)
    service.child.kill('SIGTERM')
    const status = await service.ended
    if (status !== 0) throw new Error(`the service exited with ${status}: ${service.stderr()}`)
  }
  await using service = startOqs(['serve'], settings)
  const send = await clientOf(service)
  const left = await countObjects(send)
  if (left !== visible) throw new Error(`${visible} objects were visible, and ${left} are left`)
  const { status: added } = await send(PATH, batchOf(batches))
  service.child.kill('SIGTERM')
  await service.ended
  using db = new DatabaseSync(path, { readOnly: true })
  const check = db.prepare('PRAGMA integrity_check').get()?.['integrity_check']
  if (check !== 'ok') throw new Error(`the file is damaged: ${check}`)
  return { refused, shown, acknowledged: batches * OBJECTS_PER_BATCH, left, added }
}

type Send = (path: string, options?: Parameters<typeof sendTo>[1]) => ReturnType<typeof sendTo>

async function clientOf(service: OqsProcess): Promise<Send> {
  const url = await waitForLine(service, 'listening on ')
  return (path, options = {}) => sendTo(url + path, { token: TOKEN, ...options })
}

async function readHealth(send: Send): Promise<FullDisk['shown']> {
  const metrics = await send('/metrics')
  return {
    ready: (await send('/readyz')).body,
    status: (await send('/api/admin/v1/status')).body.store,
    metric: /^oqs_store_writable (.)$/m.exec(metrics.text)?.[1],
  }
}

function batchOf(batch: number) {
  const lines = Array.from({ length: OBJECTS_PER_BATCH }, (_, n) => {
    const id = batch * OBJECTS_PER_BATCH + n
    return JSON.stringify({
      put: { id, text: `object ${id} of a disk that is full soon`.repeat(10) },
    })
  })
  const headers = { 'content-type': 'application/x-ndjson' }
  return { method: 'POST', headers, body: lines.join('\n') }
}

async function countObjects(send: Send): Promise<number> {
  const { text } = await send(`${PATH}/export?format=ndjson`)
  return text.split('\n').length - 1
}
