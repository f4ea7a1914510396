/** Imports across restarts of the service, and imports that a second run continues. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Endpoints } from '../../src/client/endpoints/endpoints.ts'
import type { Environment } from '../../src/server/config.ts'
import { importFiles } from '../../src/transfer/import/import-files.ts'
import { freePort } from '../support/free-port.ts'
import {
  logLinesOf,
  type OqsProcess,
  runOqs,
  startOqs,
  waitForLine,
} from '../support/oqs-process.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const BATCH = 10_000
const ROWS = 12 * BATCH
const TYPE = { ontology: 'restarts', objectType: 'row' }
const DEFINITION = {
  apiName: 'restarts',
  objectTypes: [
    {
      apiName: 'row',
      primaryKey: 'id',
      properties: { id: { type: 'integer' }, text: { type: 'string' } },
    },
  ],
}

let folder: TempFolder
let settings: Environment
let service: OqsProcess
let file: string
let endpoints: Endpoints

beforeEach(async () => {
  folder = tempFolder()
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  settings = {
    OQS_PORT: port,
    OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}`,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    OQS_URL: url,
    XDG_STATE_HOME: folder.path,
  }
  file = join(folder.path, 'rows.ndjson')
  const lines = Array.from({ length: ROWS }, (_, id) => `{"id":${id},"text":"row ${id}"}\n`)
  writeFileSync(file, lines.join(''))
  service = await start()
  endpoints = new Endpoints({ baseUrl: url, token: ADMIN_TOKEN })
  await endpoints.administration.applyDefinition('restarts', DEFINITION)
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function start(): Promise<OqsProcess> {
  const started = startOqs(['serve'], settings)
  await waitForLine(started, 'listening on ')
  return started
}

const importArgs = (...more: string[]) => {
  return ['import', file, '--ontology', 'restarts', '--type', 'row', ...more]
}

/** Returns how many batches the running service has acknowledged. */
function batchesOf(oqs: OqsProcess): number {
  interface Line {
    readonly msg: string
    readonly method: string
    readonly route: string
    readonly status: number
  }
  return logLinesOf<Line>(oqs, 'requestFinished').filter(
    ({ method, route, status }) =>
      method === 'POST' && route.endsWith('/objects/:objectType') && status === 200,
  ).length
}

/** Resolves when the service has acknowledged so many batches that the first is among them. */
async function someBatches(command: OqsProcess): Promise<void> {
  while (batchesOf(service) < 4 && command.child.exitCode === null) {
    await new Promise((resolve) => service.child.stderr?.once('data', resolve))
  }
}

async function countRows(): Promise<number | undefined> {
  return (await endpoints.administration.getObjectCounts('restarts')).objectTypes['row']?.count
}

const MODES = ['--max-errors=0', '--replace']

it.each(MODES)(
  'an import %s continues when the service is killed and started again',
  async (mode) => {
    await using command = startOqs(importArgs(mode), settings)
    await someBatches(command)
    await service[Symbol.asyncDispose]()
    service = await start()
    expect([await command.ended, command.stderr()]).toEqual([
      0,
      expect.stringContaining('120,000 objects written to restarts/row'),
    ])
    expect(await countRows()).toBe(ROWS)
  },
)

it('an import outlasts a minute without a service, whatever the random numbers', async () => {
  let time = 0
  const down = Promise.withResolvers<void>()
  let restarted: Promise<OqsProcess> | undefined
  const client = new Endpoints({
    baseUrl: endpoints.connection.baseUrl,
    token: ADMIN_TOKEN,
    retries: {
      random: () => 0,
      now: () => time,
      pause: async (ms) => {
        time += ms
        if (time < 60_000) return
        // Batches can fail before the process has ended. They all wait: time stands still for them.
        await down.promise
        restarted ??= start()
        service = await restarted
      },
    },
  })
  let rows = 0
  const blocks = Array.from({ length: ROWS / BATCH }, () =>
    Array.from({ length: BATCH }, () => {
      rows += 1
      return { line: rows, cells: {} }
    }),
  )
  const result = await importFiles(client, {
    ...TYPE,
    files: (async function* () {
      yield {
        name: 'rows',
        source: {
          kind: 'json' as const,
          rows: (async function* () {
            for (const [index, block] of blocks.entries()) {
              if (index === 4) {
                await service[Symbol.asyncDispose]()
                down.resolve()
              }
              yield block
            }
          })(),
        },
      }
    })(),
    readRow: ({ line }) => ({ key: String(line), json: `{"id":${line},"text":"row ${line}"}` }),
    mode: 'upsert',
    dryRun: false,
    maxErrors: 0,
    isFinite: true,
    signal: new AbortController().signal,
    onRejected: () => {},
    onProgress: async () => {},
    onIndexing: () => {},
  })
  expect(result).toMatchObject({ put: ROWS, isUncertain: false })
  expect(time).toBeGreaterThanOrEqual(60_000)
  expect(await countRows()).toBe(ROWS)
})

it.each(MODES)(
  'an import %s that stopped without a service continues when it is run again',
  async (mode) => {
    {
      await using command = startOqs(importArgs(mode), settings)
      await someBatches(command)
      await service[Symbol.asyncDispose]()
      // Ends the retries.
      command.child.kill('SIGINT')
      expect(await command.ended).toBe(130)
      expect(command.stderr()).toMatch(/Run the command again/)
    }
    service = await start()
    expect(await countRows()).toBe(0)
    const { code, stderr } = await runOqs(importArgs(mode), settings)
    expect([code, stderr]).toEqual([0, expect.stringMatching(/ objects written to restarts\/row/)])
    const [, sent = ''] = /continuing after the first ([\d,]+) objects/.exec(stderr) ?? []
    const skipped = Number(sent.replaceAll(',', ''))
    expect(skipped).toBeGreaterThanOrEqual(BATCH)
    // One more batch, which is empty, finds out whether the replacement is still there.
    expect(batchesOf(service)).toBe((ROWS - skipped) / BATCH + 1)
    expect(await countRows()).toBe(ROWS)
  },
)

it('an import starts again if its objects may be gone', async () => {
  {
    await using command = startOqs(importArgs(), settings)
    await someBatches(command)
    command.child.kill('SIGINT')
    expect(await command.ended).toBe(130)
  }
  const { administration } = endpoints
  const written = (await countRows()) ?? 0
  expect(written).toBeGreaterThan(0)
  await administration.deleteByQuery(TYPE, { type: 'lt', field: 'properties.id', value: 10 })
  const { code, stderr } = await runOqs(importArgs(), settings)
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('continuing')])
  expect(await countRows()).toBe(ROWS)
})

it('an import from a sample that was killed continues, and infers again if a later row differs', async () => {
  const lines = Array.from({ length: ROWS }, (_, id) => `{"id":${id},"count":${id % 90}}\n`)
  lines[ROWS - 1] = `{"id":${ROWS - 1},"count":"many"}\n`
  writeFileSync(file, lines.join(''))
  const args = ['import', file, '--ontology', 'restarts', '--type', 'new', '--infer']
  {
    await using command = startOqs(args, settings)
    await someBatches(command)
    command.child.kill('SIGKILL')
    await command.ended
  }
  const { code, stderr } = await runOqs(args, settings)
  expect([code, stderr]).toEqual([0, expect.stringContaining('continuing after the first')])
  expect(stderr).toMatch(/later rows differ.*inferred from 120,000 rows.*120,000 objects written/s)
  const { objectTypes } = await endpoints.administration.getObjectCounts('restarts')
  expect(objectTypes['new']?.count).toBe(ROWS)
  const definition = await endpoints.administration.getDefinition('restarts')
  expect(definition).toMatchObject({
    objectTypes: expect.arrayContaining([
      expect.objectContaining({
        apiName: 'new',
        properties: { id: expect.anything(), count: { type: 'string' } },
      }),
    ]),
  })
})
