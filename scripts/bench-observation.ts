/** Measures what metrics, the audit log and tracing cost per page; see the help. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../src/server/config.ts'
import { type Server, startServer } from '../src/server/server.ts'
import { runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { type Call, readBody } from './measure/connection.ts'
import { DEFINITION, makePart, OBJECT_TYPE, ONTOLOGY } from './measure/parts.ts'
import { print, showProgress } from './measure/progress.ts'
import { median } from './measure/statistics.ts'
import { toMarkdown } from './measure/table.ts'
import { openWorkspace } from './measure/workspace.ts'
import type { ReadOrder } from './observation/page-reader.ts'

const OBJECTS = 1000
/** So few that other work on the machine hits all services of a round alike. */
const PAGES_PER_ROUND = 20
const WARM_UP_ROUNDS = 50
/** The largest share of a page's CPU time that metrics and sampled traces may add. */
const MAX_SHARE = 0.03

const HELP = `Usage: node scripts/bench-observation.ts [options]

Reads pages of 100 objects from services that differ only in their settings, all in one process and
on one SQLite file, in turn, and compares the CPU time of the process. Metrics, and traces of 1 in 100
requests, may each add at most ${100 * MAX_SHARE} percent. The page cache is off.

  --rounds NUMBER   rounds of ${PAGES_PER_ROUND} pages per service; 1000 if missing
  --help            this text`

const TOKEN = randomBytes(24).toString('base64url')

const OFF = {
  OQS_PORT: '0',
  OQS_ADMIN_TOKEN: TOKEN,
  OQS_METRICS: 'off',
  OQS_LOG_LEVEL: 'silent',
  OQS_PAGE_CACHE_BYTES: '0',
  OQS_RATE_LIMIT_PER_MINUTE: 'none',
}

/** The first one is what the others are compared with; the second shows the noise. */
const VARIANTS: readonly Variant[] = [
  { name: 'nothing', settings: {}, isJudged: false },
  { name: 'nothing, again', settings: {}, isJudged: false },
  { name: 'metrics', settings: { OQS_METRICS: 'token' }, isJudged: true },
  { name: 'audit of all requests', settings: { OQS_AUDIT: 'all' }, isJudged: false },
  { name: 'traces of 1 %', settings: { OQS_TRACE_SAMPLING: '0.01' }, isJudged: true },
  { name: 'traces of 100 %', settings: { OQS_TRACE_SAMPLING: '1' }, isJudged: false },
]

interface Variant {
  readonly name: string
  readonly settings: Readonly<Record<string, string>>
  readonly isJudged: boolean
}

interface Running extends Variant {
  readonly server: Server
  /** CPU microseconds per page, one number per round. */
  readonly costs: number[]
}

const PAGE: Call = {
  method: 'GET',
  path: `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}?pageSize=100`,
}

await runScript({
  name: 'bench-observation',
  help: HELP,
  options: { rounds: TEXT },
  async run(values) {
    const rounds = wholeNumber('--rounds', values.rounds, { min: 1, usual: 1000 })
    using workspace = openWorkspace()
    await using parts = new AsyncDisposableStack()
    const collector = parts.adopt(await startCollector(), ({ close }) => close())
    const reader = fork(fileURLToPath(new URL('./observation/page-reader.ts', import.meta.url)))
    workspace.adopt(reader)
    parts.defer(() => void reader.disconnect())
    const running: Running[] = []
    for (const variant of VARIANTS) {
      const config = readConfig({
        ...OFF,
        OQS_STORE: `sqlite:${workspace.folder}/oqs.db`,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        ...variant.settings,
      })
      const server = parts.use(await startServer(config, { log: () => {} }))
      if (running.length === 0) await fill(server)
      running.push({ ...variant, server, costs: [] })
    }
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      if (round % 50 === 0) showProgress(`round ${round} of ${rounds}`)
      for (const one of shuffled(running)) {
        const cost = await measureRound(one, reader)
        if (round >= 0) one.costs.push(cost)
      }
    }
    return report(running)
  },
})

async function fill({ url }: Server): Promise<void> {
  const target = { url: new URL(url), headers: { authorization: `Bearer ${TOKEN}` } }
  const path = `/api/admin/v1/ontologies/${ONTOLOGY}`
  await readBody(target, { method: 'PUT', path, body: JSON.stringify(DEFINITION) })
  const lines = Array.from({ length: OBJECTS }, (_, n) => JSON.stringify({ put: makePart(n, 0) }))
  await readBody(target, {
    method: 'POST',
    path: `${path}/objects/${OBJECT_TYPE}`,
    contentType: 'application/x-ndjson',
    body: lines.join('\n'),
  })
}

/** Mixes the services, because each pays for some of the garbage of the one before it. */
function shuffled<T>(all: readonly T[]): readonly T[] {
  return all
    .map((one) => ({ one, position: Math.random() }))
    .toSorted((a, b) => a.position - b.position)
    .map(({ one }) => one)
}

async function measureRound({ server }: Running, reader: ChildProcess): Promise<number> {
  const order: ReadOrder = { url: server.url, token: TOKEN, call: PAGE, times: PAGES_PER_ROUND }
  const done = once(reader, 'message')
  const before = process.cpuUsage()
  reader.send(order)
  await done
  const { user, system } = process.cpuUsage(before)
  return (user + system) / PAGES_PER_ROUND
}

/** Prints the costs, and returns false if one is too large. */
function report(running: readonly Running[]): boolean {
  const [plain] = running
  // Compared within each round, because the speed of a shared machine changes all the time.
  const added = ({ costs }: Running) =>
    median(costs.map((cost, round) => cost / (plain?.costs[round] ?? cost))) - 1
  const rows = running.map((one) => [
    one.name,
    `${median(one.costs).toFixed(1)} µs`,
    one === plain ? '' : `${(100 * added(one)).toFixed(1)} %`,
  ])
  print(toMarkdown([['on', 'CPU time per page', 'added'], ...rows]))
  const missed = running.filter((one) => one.isJudged && added(one) > MAX_SHARE)
  for (const { name } of missed) print(`missed: ${name}`)
  return missed.length === 0
}

/** A collector that drops what it receives. */
async function startCollector(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}
