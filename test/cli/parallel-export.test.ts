/** Exports with several readers, and what is done when a snapshot is gone. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Endpoints } from '../../src/client/endpoints/endpoints.ts'
import { CHANGES_MAX_AGE_SECONDS } from '../../src/contract/limits.ts'
import type { Environment } from '../../src/server/config.ts'
import { retentionOf } from '../../src/server/maintenance.ts'
import { exportToFile } from '../../src/transfer/export/export-file.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { SMALL_AVIATION } from './aviation.ts'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'

const COUNT = 3000
const airports = Array.from({ length: COUNT }, (_, index) => ({
  iata: `${String(index).padStart(4, '0')}, "x"`,
  name: `two\nlines ${'x'.repeat(index % 200)}`,
  runwayFeet: index,
}))
const airport = ['--ontology', 'aviation', '--type', 'airport']
const NO_PAUSES = { pause: async () => {} }

let service: Service
let proxy: CuttingProxy
let folder: TempFolder
let settings: Environment

beforeAll(async () => {
  service = await startService()
  await service.apply(SMALL_AVIATION)
  await service.put('aviation', 'airport', airports)
  proxy = await startCuttingProxy(service.url)
  settings = { OQS_URL: proxy.url, OQS_ADMIN_TOKEN: ADMIN_TOKEN }
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  folder = tempFolder()
  proxy.cutAfter()
})
afterEach(() => folder[Symbol.dispose]())

async function wholeExport(query: string): Promise<Buffer> {
  const path = `/api/admin/v1/ontologies/aviation/objects/airport/export?${query}`
  return Buffer.from((await service.send(path)).text)
}

describe('oqs export --parallel', () => {
  it.each(['ndjson', 'csv'])('writes the same %s as one reader', async (format) => {
    const expected = await wholeExport(`format=${format}`)
    const args = ['export', ...airport, '--format', format]
    for (const parallel of ['1', '3', '64']) {
      const output = join(folder.path, 'airports')
      const filed = await runCommand(
        [...args, '--parallel', parallel, '--output', output],
        settings,
      )
      expect([filed.code, filed.stderr]).toEqual([0, expect.stringContaining('3,000 objects')])
      expect(readFileSync(output).equals(expected)).toBe(true)
      expect(readdirSync(folder.path)).toEqual(['airports'])
    }
    const direct = await runCommand([...args, '--parallel', '4'], settings)
    expect([direct.code, direct.stderr]).toEqual([0, ''])
    expect(Buffer.from(direct.stdout).equals(expected)).toBe(true)
  })

  it('selects properties', async () => {
    const args = ['export', ...airport, '--select', 'runwayFeet', '--parallel', '2']
    const { stdout } = await runCommand(args, settings)
    expect(Buffer.from(stdout).equals(await wholeExport('select=runwayFeet'))).toBe(true)
  })

  it.each(['ndjson', 'csv'] as const)(
    'has the same bytes wherever connections break: %s',
    async (format) => {
      const expected = await wholeExport(`format=${format}`)
      const client = new Endpoints({ baseUrl: proxy.url, token: ADMIN_TOKEN, retries: NO_PAUSES })
      const request = { ontology: 'aviation', objectType: 'airport', format }
      const output = join(folder.path, 'airports')
      for (let cut = 500; cut < expected.length; cut *= 3) {
        const cutsBefore = proxy.cuts()
        proxy.cutAfter(cut, 20_000, 9000, cut + 700)
        const { objects, bytes } = await exportToFile(client, request, output, { parallel: 4 })
        expect([cut, objects, bytes]).toEqual([cut, COUNT, expected.length])
        expect(readFileSync(output).equals(expected)).toBe(true)
        expect(proxy.cuts()).toBeGreaterThan(cutsBefore)
      }
    },
  )

  it.each([
    [['--parallel', '65'], 'it can be at most 64'],
    [['--parallel', '0'], 'It must be a whole number of at least 1'],
    [['--parallel', '2', '--where', 'name.eq=x'], "cannot be used with '--where"],
    [['--parallel', '2', '--output', 'x.parquet'], 'cannot be used with Parquet'],
    [['--output', 'x.ndjson.gz'], "'x.ndjson.gz' has the extension of no format; pass '--format"],
  ])('rejects %j', async (options, message) => {
    const { code, stderr } = await runCommand(['export', ...airport, ...options], settings)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  it('fails as a whole, and leaves what can be resumed', async () => {
    const output = join(folder.path, 'airports')
    const client = new Endpoints({
      baseUrl: service.url,
      token: ADMIN_TOKEN,
      retries: NO_PAUSES,
      fetch: (input, init) => {
        if (String(input).includes('slice=')) slices += 1
        return slices === 3
          ? Promise.resolve(new Response('{"errorName":"Broken"}', { status: 500 }))
          : fetch(input, init)
      },
    })
    let slices = 0
    const request = { ontology: 'aviation', objectType: 'airport', format: 'ndjson' as const }
    const failed = exportToFile(client, request, output, { parallel: 4 })
    await expect(failed).rejects.toMatchObject({ statusCode: 500 })
    expect(readdirSync(folder.path).toSorted()).toEqual(['airports.part', 'airports.part.json'])
    slices = 100
    await exportToFile(client, request, output, { parallel: 4, resume: true })
    expect(readFileSync(output).equals(await wholeExport(''))).toBe(true)
  })
})

describe('a snapshot that is gone', () => {
  it('lets an export go on as of now, and the command says so', async () => {
    await using other = await startService()
    await other.apply(SMALL_AVIATION)
    await other.put('aviation', 'airport', airports.slice(0, 10))
    const environment = { OQS_URL: other.url, OQS_ADMIN_TOKEN: ADMIN_TOKEN }
    const output = join(folder.path, 'airports')
    const args = ['export', ...airport, '--output', output]
    await runCommand(args, environment)
    const lines = readFileSync(output, 'utf8').split('\n')
    writeFileSync(`${output}.part`, `${lines.slice(0, 4).join('\n')}\n`)
    const { url: baseUrl } = other
    const request = { format: 'ndjson', objectType: 'airport', ontology: 'aviation', url: baseUrl }
    const note = { request, version: '1' }
    writeFileSync(`${output}.part.json`, JSON.stringify(note))
    await other.write('aviation', 'airport', [{ delete: airports[6]?.iata }])
    const age = { snapshotMaxAgeSeconds: 1, pageTokenTtlSeconds: 1 }
    for (let pass = 0; pass < 3; pass += 1) {
      await other.store.reclaim(retentionOf(age, () => other.clock.now))
      other.clock.now += 600_000
    }
    const resumed = await runCommand([...args, '--resume'], environment)
    expect([resumed.code, resumed.stderr]).toEqual([
      0,
      expect.stringContaining(
        'the snapshot of the first 4 objects is gone; the objects after them are as of now',
      ),
    ])
    expect(readFileSync(output, 'utf8').split('\n')).toEqual(lines.toSpliced(6, 1))
  })

  it('lets oqs list go on as of now, and the command says so', async () => {
    await using other = await startService()
    await other.apply(SMALL_AVIATION)
    await other.put('aviation', 'airport', airports.slice(0, 10))
    const path = '/api/v1/ontologies/aviation/objects/airport?pageSize=4&snapshot=true'
    const { body } = await other.send(path)
    other.clock.now += 1000 * (CHANGES_MAX_AGE_SECONDS + 1)
    const args = ['list', ...airport, '--all', '--snapshot', '--page-size', '4', '--json']
    const { code, stdout, stderr } = await runCommand(
      [...args, '--page-token', body.nextPageToken],
      { OQS_URL: other.url, OQS_ADMIN_TOKEN: ADMIN_TOKEN },
    )
    expect([code, stdout.trim().split('\n')]).toEqual([0, expect.objectContaining({ length: 6 })])
    expect(stderr).toBe(
      'oqs: the page token was too old; the objects from here on are as of now, not of the moment of those before\n',
    )
  })
})
