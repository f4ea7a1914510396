import { existsSync, readdirSync, readFileSync, symlinkSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Endpoints } from '../../src/client/endpoints/endpoints.ts'
import type { Environment } from '../../src/server/config.ts'
import { exportToFile } from '../../src/transfer/export/export-file.ts'
import { OQS, startOqs } from '../support/oqs-process.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { SMALL_AVIATION } from './aviation.ts'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'
import { runLine } from './shell.ts'

/** Parts of keys and names with everything that CSV has to quote. */
const TEXTS = [
  'plain',
  'with, comma',
  'with "quotes"',
  'two\nlines',
  'cr\r\nlf',
  '# end',
  '日本',
  '',
]
const COUNT = 400
const airports = Array.from({ length: COUNT }, (_, index) => ({
  iata: `${String(index).padStart(4, '0')} ${TEXTS[index % TEXTS.length]}`,
  name: `${TEXTS[(index + 3) % TEXTS.length]} ${'x'.repeat(index % 200)}`,
  runwayFeet: index,
}))

let service: Service
let proxy: CuttingProxy
let folder: TempFolder
let settings: Environment

beforeAll(async () => {
  service = await startService()
  await service.apply(SMALL_AVIATION)
  await service.put('aviation', 'airport', airports)
  proxy = await startCuttingProxy(service.url)
  settings = {
    OQS_URL: proxy.url,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
  }
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  folder = tempFolder()
  proxy.cutAfter()
  proxy.stallAfter(undefined)
})
afterEach(() => folder[Symbol.dispose]())

const airport = ['--ontology', 'aviation', '--type', 'airport']

/** Returns the whole export as the service sends it. */
async function wholeExport(format: string): Promise<Buffer> {
  const path = `/api/admin/v1/ontologies/aviation/objects/airport/export?format=${format}`
  return Buffer.from((await service.send(path)).text)
}

describe.each(['ndjson', 'csv'] as const)('an export as %s', (format) => {
  it('has every object, on standard output and in a file', async () => {
    const output = join(folder.path, 'airports')
    const args = ['export', ...airport, '--format', format]
    const direct = await runCommand(args, settings)
    const filed = await runCommand([...args, '--output', output], settings)
    const expected = await wholeExport(format)
    expect([direct.code, direct.stderr]).toEqual([0, ''])
    expect(Buffer.from(direct.stdout).equals(expected)).toBe(true)
    expect(filed.code).toBe(0)
    expect(filed.stderr).toMatch(/^oqs: export complete: 400 objects, [\d.]+ kB in /)
    expect(readFileSync(output).equals(expected)).toBe(true)
    expect(readdirSync(folder.path)).toEqual(['airports'])
    const extension = join(folder.path, `.${format}`)
    await runCommand(['export', ...airport, '--output', extension], settings)
    expect(readFileSync(extension).equals(expected)).toBe(true)
  })

  it('has the same bytes wherever the connection breaks', async () => {
    const expected = await wholeExport(format)
    const client = new Endpoints({ baseUrl: proxy.url, token: ADMIN_TOKEN, retries: NO_PAUSES })
    const request = { ontology: 'aviation', objectType: 'airport', format }
    const output = join(folder.path, 'airports')
    for (let cut = 5; cut < expected.length; cut = Math.ceil(cut * 1.37) + 1) {
      const cutsBefore = proxy.cuts()
      proxy.cutAfter(cut, 400, 1500, cut + 700)
      const { objects, bytes } = await exportToFile(client, request, output)
      expect([cut, objects, bytes]).toEqual([cut, COUNT, expected.length])
      expect(readFileSync(output).equals(expected)).toBe(true)
      expect(proxy.cuts()).toBeGreaterThanOrEqual(cutsBefore + 3)
    }
  })

  it('resumes after Ctrl-C and after a kill, wherever the file ends', async () => {
    const output = join(folder.path, 'airports')
    const args = ['export', ...airport, '--format', format, '--output', output, '--resume']
    let size = 0
    for (const [signal, status] of [
      ['SIGINT', 130],
      ['SIGKILL', null],
    ] as const) {
      proxy.stallAfter(size + 12_000)
      await using oqs = startOqs(args, settings)
      size = await sizeAbove(`${output}.part`, size)
      oqs.child.kill(signal)
      expect(await oqs.ended).toBe(status)
      if (signal === 'SIGINT') expect(oqs.stderr()).toContain('with --resume to continue')
      expect(existsSync(output)).toBe(false)
    }
    // Leaves an incomplete line.
    const part = readFileSync(`${output}.part`)
    writeFileSync(`${output}.part`, part.subarray(0, part.length - 3))
    proxy.stallAfter(undefined)

    const other = await runCommand([...args, '--select', 'name'], settings)
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringMatching(/belongs to another export \(select was not given, is name\)/),
    ])
    const done = await runCommand(args, settings)
    expect([done.code, done.stderr]).toEqual([
      0,
      expect.stringMatching(/continuing after \d+ objects/),
    ])
    expect(readFileSync(output).equals(await wholeExport(format))).toBe(true)
    expect(readdirSync(folder.path)).toEqual(['airports'])
  })
})

describe('oqs export', () => {
  it('selects and filters', async () => {
    const where = JSON.stringify({ type: 'lt', field: 'properties.runwayFeet', value: 2 })
    const args = ['export', ...airport, '--where', where, '--select', 'runwayFeet']
    const { stdout } = await runCommand([...args, '--format', 'csv'], settings)
    expect(stdout).toBe('iata,runwayFeet\n0000 plain,0\n"0001 with, comma",1\n')
  })

  it('reports a full disk in one line, and leaves no file', async () => {
    symlinkSync('/dev/full', join(folder.path, 'airports.part'))
    const output = join(folder.path, 'airports')
    const filed = await runCommand(['export', ...airport, '--output', output], settings)
    expect([filed.code, filed.stderr]).toEqual([
      1,
      `oqs: cannot write ${output}.part: no space left on the disk. Free some space and run the command with --resume.\n`,
    ])
    expect(existsSync(output)).toBe(false)
    const oqs = `'${process.execPath}' '${OQS}'`
    const line = `${oqs} export ${airport.join(' ')} > /dev/full`
    const direct = await runLine(line, process.cwd(), settings)
    expect([direct.code, direct.stderr]).toEqual([
      1,
      'oqs: cannot write to standard output: no space left on the disk\n',
    ])
  })

  it.each(['', '{"version":', '{}', 'null', '{"request":{"format":1},"version":"1"}'])(
    'does not resume from a damaged note: %j',
    async (note) => {
      const output = join(folder.path, 'airports')
      writeFileSync(`${output}.part`, '')
      writeFileSync(`${output}.part.json`, note)
      const client = new Endpoints({ baseUrl: service.url, token: ADMIN_TOKEN })
      const request = { ontology: 'aviation', objectType: 'airport', format: 'csv' } as const
      await expect(exportToFile(client, request, output, { resume: true })).rejects.toThrow(
        `cannot resume: ${output}.part.json is damaged`,
      )
    },
  )

  it('gives up with one line if the service does not come back', async () => {
    const output = join(folder.path, 'airports')
    const client = new Endpoints({
      baseUrl: proxy.url,
      token: ADMIN_TOKEN,
      retries: { ...NO_PAUSES, retries: 5 },
    })
    const request = { ontology: 'aviation', objectType: 'airport', format: 'csv' } as const
    proxy.cutAfter(...Array.from({ length: 50 }, (_, index) => (index === 0 ? 20_000 : 10)))
    await expect(exportToFile(client, request, output)).rejects.toThrow(
      /^(?:cannot reach|lost the connection to) http/,
    )
    expect(existsSync(output)).toBe(false)
    proxy.cutAfter()
    await exportToFile(client, request, output, { resume: true })
    expect(readFileSync(output).equals(await wholeExport('csv'))).toBe(true)
  })
})

/** Retries at once. */
const NO_PAUSES = { pause: async () => {} }

/** Waits until a file has more than `size` bytes; returns its size. */
async function sizeAbove(path: string, size: number): Promise<number> {
  const sizeNow = () => (existsSync(path) ? readFileSync(path).length : 0)
  const { promise, resolve } = Promise.withResolvers<void>()
  using _watcher = disposable(watch(folder.path, () => sizeNow() > size && resolve()))
  if (sizeNow() <= size) await promise
  return sizeNow()
}

function disposable(watcher: { close(): void }): Disposable {
  return { [Symbol.dispose]: () => watcher.close() }
}
