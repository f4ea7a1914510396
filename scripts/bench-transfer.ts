import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bareLoad } from './bench/bare-load.ts'
import { readCommandLine } from './bench/command-line.ts'
import { readBody } from './bench/http-client.ts'
import { ownMegabytes, watchMemory } from './bench/memory.ts'
import { DEFINITION, makePart, OBJECT_TYPE, ONTOLOGY } from './bench/objects.ts'
import { type MeasuredProcess, startService } from './bench/processes.ts'
import { openWorkspace, type Workspace } from './bench/workspace.ts'

/** Measures data in and data out: imports beside the bare store, exports beside walks in pages. */

const HELP = `Usage: npm run bench:transfer -- [--quick]

Imports 1,000,000 objects of about 400 bytes beside the same rows written by the bare store, then
flights-3m.parquet (3,000,000 rows), and exports these beside a walk in pages of 1,000. --quick
takes 100,000 objects and 200,000 flights. Memory is what a process has of its own, mapped files
left out (Linux only). Exits with 1 when a target is missed. What it writes into TMPDIR is given back.`

const OQS = fileURLToPath(new URL('../bin/oqs.js', import.meta.url))
const BATCH = 5000

async function bench(quick: boolean): Promise<boolean> {
  const objects = quick ? 100_000 : 1_000_000
  const results: boolean[] = []
  {
    using workspace = openWorkspace()
    results.push(await measureImport(workspace, objects))
  }
  {
    using workspace = openWorkspace()
    await using service = await startService(workspace)
    results.push(await importFlights(service, workspace, quick))
    results.push(await measureExport(service, workspace))
  }
  return results.every(Boolean)
}

async function measureImport(workspace: Workspace, objects: number): Promise<boolean> {
  const bareSeconds = await bareLoad(join(workspace.folder, 'bare.db'), objects, BATCH)
  print(`bare store: ${rate(objects, bareSeconds)}`)
  rmSync(join(workspace.folder, 'bare.db'))

  const file = join(workspace.folder, 'parts.ndjson')
  await pipeline(partLines(objects), createWriteStream(file))
  await using service = await startService(workspace)
  const definition = join(workspace.folder, 'definition.json')
  writeFileSync(definition, JSON.stringify(DEFINITION))
  await oqs(workspace, service, ['ontology', 'apply', definition])
  const upsert = await importFile(workspace, service, [file, ...TYPE])
  print(`oqs import: ${rate(objects, upsert.seconds)}, ${memory(upsert)}`)
  const replace = await importFile(workspace, service, [file, ...TYPE, '--replace'])
  print(`oqs import --replace: ${rate(objects, replace.seconds)}, ${memory(replace)}`)
  const met = judge('import / bare store', bareSeconds / upsert.seconds, 'least', 0.4)
  return judge('memory of the import, MB', upsert.commandMegabytes ?? 0, 'most', 300) && met
}

const TYPE = ['--ontology', ONTOLOGY, '--type', OBJECT_TYPE]
const FLIGHTS = ['--ontology', 'flights', '--type', 'flight']
const FLIGHTS_PATH = 'flights/objects/flight'

async function importFlights(
  service: MeasuredProcess,
  workspace: Workspace,
  quick: boolean,
): Promise<boolean> {
  const name = quick ? 'flights-200k.json' : 'flights-3m.parquet'
  const rows = quick ? 200_000 : 3_000_000
  const file = fileURLToPath(new URL(`../node_modules/vega-datasets/data/${name}`, import.meta.url))
  const imported = await importFile(workspace, service, [file, ...FLIGHTS, '--infer'])
  print(`oqs import ${name} --infer: ${rate(rows, imported.seconds)}, ${memory(imported)}`)
  return judge('memory of the import, MB', imported.commandMegabytes ?? 0, 'most', 300)
}

async function measureExport(service: MeasuredProcess, workspace: Workspace): Promise<boolean> {
  const before = ownMegabytes(service.pid)
  const watch = watchMemory(service.pid)
  const walk = await timed(() => walkPages(service))
  const walkMegabytes = watch.end()
  const whole = watchMemory(service.pid)
  const exported = await timed(() => drainExport(service))
  const exportMegabytes = whole.end()
  print(`walk in pages of 1,000: ${walk.seconds.toFixed(1)} s, service ${walkMegabytes} MB`)
  print(
    `export: ${exported.seconds.toFixed(1)} s, service ${exportMegabytes} MB (${before} before)`,
  )

  const slow = await slowExport(service, workspace)
  print(
    `a reader of 1 MB/s for 10 s: service grew by ${slow.grownMegabytes} MB, a write took ${slow.writeMs} ms meanwhile`,
  )
  return judge('export / walk, seconds', exported.seconds / walk.seconds, 'most', 1)
}

/** The next page token is looked for in the bytes at the end: parsing is not what is measured. */
async function walkPages(service: MeasuredProcess): Promise<void> {
  let token = ''
  do {
    const path = `/api/v1/ontologies/${FLIGHTS_PATH}?pageSize=1000&snapshot=true${token}`
    const page = await readBody(service, { method: 'GET', path })
    const next = /"nextPageToken":"([^"]+)"/.exec(page.subarray(-2000).toString())?.[1]
    token = next === undefined ? '' : `&pageToken=${encodeURIComponent(next)}`
  } while (token !== '')
}

const EXPORT_PATH = `/api/admin/v1/ontologies/${FLIGHTS_PATH}/export`

async function drainExport(service: MeasuredProcess): Promise<void> {
  let last = Buffer.alloc(0)
  await receive(service, EXPORT_PATH, async (chunk) => {
    last = Buffer.concat([last, chunk]).subarray(-100)
  })
  if (!last.toString().includes('"$end"')) throw new Error('the export was cut')
}

async function slowExport(service: MeasuredProcess, workspace: Workspace) {
  const before = ownMegabytes(service.pid) ?? 0
  const watch = watchMemory(service.pid)
  const startedAt = performance.now()
  let bytes = 0
  let writeMs = 0
  const line = join(workspace.folder, 'one.json')
  writeFileSync(line, '[{"row": 1}]')
  await receive(service, EXPORT_PATH, async (chunk) => {
    bytes += chunk.length
    const aheadMs = bytes / 1000 - (performance.now() - startedAt)
    if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs))
    if (writeMs === 0 && bytes > 2_000_000) {
      const call = {
        method: 'POST',
        path: `/api/admin/v1/ontologies/${FLIGHTS_PATH}`,
        contentType: 'application/x-ndjson',
        body: '{"delete": "0"}\n{"put": {"row": 1}}\n',
      } as const
      const { seconds } = await timed(() => readBody(service, call))
      writeMs = Math.round(seconds * 1000)
    }
    return performance.now() - startedAt > 10_000 ? 'enough' : undefined
  })
  return { grownMegabytes: (watch.end() ?? 0) - before, writeMs }
}

function receive(
  { url, headers }: MeasuredProcess,
  path: string,
  take: (chunk: Buffer) => Promise<unknown>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: url.hostname, port: url.port, path, headers }, async (response) => {
      try {
        for await (const chunk of response) {
          if ((await take(chunk)) === 'enough') break
        }
        response.destroy()
        resolve()
      } catch (error) {
        reject(error)
      }
    }).on('error', reject)
  })
}

interface Imported {
  readonly seconds: number
  readonly commandMegabytes: number | undefined
  readonly serviceMegabytes: number | undefined
}

async function importFile(
  workspace: Workspace,
  service: MeasuredProcess,
  words: readonly string[],
): Promise<Imported> {
  const watch = watchMemory(service.pid)
  const { seconds, result } = await timed(() => oqs(workspace, service, ['import', ...words]))
  return { seconds, commandMegabytes: result, serviceMegabytes: watch.end() }
}

/** Runs a command to its end; gives the most memory it had, in MB. */
async function oqs(
  workspace: Workspace,
  service: MeasuredProcess,
  words: readonly string[],
): Promise<number | undefined> {
  const token = service.headers['authorization']?.replace('Bearer ', '')
  const child = spawn(process.execPath, [OQS, ...words], {
    env: { ...process.env, OQS_URL: service.url.href, OQS_TOKEN: token },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  workspace.adopt(child)
  const watch = watchMemory(child.pid ?? 0)
  const [status] = await once(child, 'exit')
  const megabytes = watch.end()
  if (status !== 0) throw new Error(`oqs ${words[0]} ended with ${status}`)
  return megabytes
}

async function* partLines(objects: number): AsyncGenerator<string> {
  for (let start = 0; start < objects; start += 1000) {
    const numbers = Array.from({ length: Math.min(1000, objects - start) }, (_, i) => start + i)
    yield numbers.map((number) => `${JSON.stringify(makePart(number, 0))}\n`).join('')
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> {
  const startedAt = performance.now()
  const result = await work()
  return { seconds: (performance.now() - startedAt) / 1000, result }
}

function rate(objects: number, seconds: number): string {
  const perSecond = Math.round(objects / seconds).toLocaleString('en-US')
  return `${objects.toLocaleString('en-US')} objects in ${seconds.toFixed(1)} s (${perSecond}/s)`
}

function memory({ commandMegabytes, serviceMegabytes }: Imported): string {
  return `command ${commandMegabytes} MB, service ${serviceMegabytes} MB`
}

function judge(what: string, value: number, bound: 'least' | 'most', target: number): boolean {
  const met = bound === 'least' ? value >= target : value <= target
  print(`${what}: ${value.toFixed(2)} (at ${bound} ${target}) ${met ? 'pass' : 'MISSED'}`)
  return met
}

function print(line: string): void {
  console.log(line)
}

const options = readCommandLine('bench:transfer', () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return values
})
if (options?.help) console.log(HELP)
else if (options !== undefined) process.exitCode = (await bench(options.quick)) ? 0 : 1
