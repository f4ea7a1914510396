/**
 * The service as a checkout runs it. Other tests run the bundle of `bundle-programs.ts`; these start
 * the processes and threads of a service on SQLite from their source.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { OQS_FROM_SOURCE, type OqsProcess, startNode, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

/** More than a batch that is parsed on the main thread has. */
const MANY_OBJECTS = 5000

describe('a service that runs its source', () => {
  let folder: TempFolder
  let oqs: OqsProcess
  let url: string
  const settings = () => ({
    OQS_PORT: '0',
    OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}`,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_WORKERS: '2',
    // Storing what is compiled of the source takes most of the time in which a service must stop.
    NODE_DISABLE_COMPILE_CACHE: '1',
  })
  const start = (...args: string[]) => startNode([OQS_FROM_SOURCE, ...args], settings())

  beforeAll(async () => {
    folder = tempFolder()
    oqs = start('serve')
    url = await waitForLine(oqs, 'listening on ')
  })
  afterAll(async () => {
    await oqs[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it('parses a large batch, writes it, and aggregates it', async () => {
    const definition = `${url}/api/admin/v1/ontologies/numbers`
    const applied = await sendTo(definition, { method: 'PUT', json: NUMBERS })
    expect(applied.status).toBe(200)
    const body = numbers(MANY_OBJECTS).map((put) => JSON.stringify({ put }))
    const written = await sendTo(`${definition}/objects/number`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: body.join('\n'),
    })
    expect([written.status, written.body.put]).toEqual([200, MANY_OBJECTS])
    const { body: answer } = await sendTo(
      `${url}/api/v1/ontologies/numbers/objects/number/aggregate`,
      { json: { aggregation: [{ type: 'count', name: 'objects' }], groupBy: [] } },
    )
    expect(answer.data[0].metrics).toEqual([{ name: 'objects', value: MANY_OBJECTS }])
  })

  it('serves the API reference', async () => {
    const { status, text } = await sendTo(`${url}/docs`, { token: null })
    expect([status, text.includes('</details>')]).toEqual([200, true])
  })

  it('builds columns', async () => {
    const states = async () =>
      (await sendTo(`${url}/api/admin/v1/status`)).body.columns.objectTypes.map(
        ({ state }: { state: string }) => state,
      )
    await expect.poll(states, { timeout: 300_000 }).toEqual(['ready'])
  })

  it('is backed up while it runs, and stops with status 0', async () => {
    const copy = join(folder.path, 'copy.db')
    await using backup = start('backup', copy)
    expect([await backup.ended, backup.stderr()]).toEqual([0, expect.any(String)])
    expect(existsSync(copy)).toBe(true)
    oqs.child.kill('SIGTERM')
    expect([await oqs.ended, oqs.stderr()]).toEqual([0, expect.any(String)])
  })
})
