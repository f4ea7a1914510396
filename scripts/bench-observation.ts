/** Measures what metrics, the audit log and tracing cost per page; see the help. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sendJson, startPeer } from '../test/support/http-peer.ts'
import { FLAG, runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { atMost, judge } from './measure/marks.ts'
import { print, showProgress } from './measure/progress.ts'
import { listeningUrls, startServer } from './measure/server.ts'
import { loadParts, NO_CACHE, NO_LIMITS, NODE_FLAGS, startService } from './measure/service.ts'
import { compareSides, type Side } from './measure/sides.ts'
import { geometricMean, median, quantile } from './measure/statistics.ts'
import { toMarkdown } from './measure/table.ts'
import { listPages } from './measure/walk.ts'
import { openWorkspace, type Workspace } from './measure/workspace.ts'

const OBJECTS = 1000
const FULL = { starts: 5, rounds: 60, sliceMs: 40, warmUpMs: 3000 }
const QUICK = { starts: 1, rounds: 4, sliceMs: 40, warmUpMs: 300 }
/** The largest share of a page's CPU time that metrics and sampled traces may add. */
const LIMIT_PERCENT = 3

const HELP = `Usage: npm run bench:observation -- [options]

Reads pages of 100 objects from services that differ only in their settings, on SQLite and without a
page cache, in turn in many short rounds, and compares their CPU time. Equal processes differ by up to
a quarter for as long as they run, so four services with a setting run in one process with four
without it. Each process is started several times, and the median over the starts counts. Metrics,
and traces of 1 in 100 requests, may each add at most ${LIMIT_PERCENT} percent. "nothing" compares two of the
services without the setting with the other two, in either direction, and shows the noise. What runs
later in bursts, such as storing audit records and sending spans, is not included.

A full run takes about 9 minutes. The exit status is 0, 1 when a mark is missed, or 2 when the run
fails. A quick run judges nothing.

  --starts N        how often the process is started (${FULL.starts})
  --quick           one start and ${QUICK.rounds} short rounds: about 25 seconds
  --help            this text`

const PROGRAM = fileURLToPath(new URL('observation/serve-variants.ts', import.meta.url))
const TOKEN = 'observation'.repeat(4)

const MEASURED = { metrics: 'metrics', traces: 'traces of 1 %' } as const

/** Everything that can be observed is off, except for what a variant turns on. */
const OFF = { ...NO_CACHE, OQS_METRICS: 'off', OQS_LOG_LEVEL: 'silent' }
const VARIANTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [MEASURED.metrics]: { OQS_METRICS: 'token' },
  'audit of all requests': { OQS_AUDIT: 'all' },
  [MEASURED.traces]: { OQS_TRACE_SAMPLING: '0.01' },
  'traces of 100 %': { OQS_TRACE_SAMPLING: '1' },
}
const NOTHING = 'nothing'
/** Which services of a process have the setting: as often early as late. */
const ORDER = [false, true, true, false, true, false, false, true]

await runScript({
  name: 'bench:observation',
  help: HELP,
  options: { starts: TEXT, quick: FLAG },
  async run(values) {
    const usual = values.quick ? QUICK : FULL
    const starts = wholeNumber('--starts', values.starts, { min: 1, usual: usual.starts })
    using workspace = openWorkspace()
    const loaded = join(workspace.folder, 'loaded.db')
    {
      await using service = await startService(workspace, { store: `sqlite:${loaded}` })
      await loadParts(workspace, service, OBJECTS)
    }
    const added = new Map([NOTHING, ...Object.keys(VARIANTS)].map((name) => [name, [] as number[]]))
    for (let start = 1; start <= starts; start += 1) {
      for (const [name, settings] of Object.entries(VARIANTS)) {
        showProgress(`${name}: start ${start} of ${starts}`)
        const inOrder = ORDER.map((has) => (has ? settings : {}))
        await using variants = await startVariants(workspace, loaded, inOrder)
        const { mean } = await compareSides(variants.sides, usual)
        const cpu = variants.sides.map((side) => mean(side, 'CPU'))
        const [own, others] = [cpu.filter((_, at) => ORDER[at]), cpu.filter((_, at) => !ORDER[at])]
        const [first = 1, second = 1, third = 1, fourth = 1] = others
        added.get(name)?.push(percentAdded(own, others))
        added.get(NOTHING)?.push(Math.abs(percentAdded([first, fourth], [second, third])))
      }
    }
    const percent = (value: number) => `${value.toFixed(1)} %`
    const rows = [...added].map(([name, each]) => {
      const quartiles = [quantile(each, 0.25), quantile(each, 0.75)]
      return [name, percent(median(each)), quartiles.map(percent).join(' to ')]
    })
    print(`\n${toMarkdown([['on', 'added CPU time', 'middle half of the starts'], ...rows])}`)
    const marks = Object.values(MEASURED).map((name) =>
      atMost(LIMIT_PERCENT, `${name}, percent of a page of 100`, median(added.get(name) ?? [])),
    )
    return values.quick || judge(marks)
  },
})

function percentAdded(costs: readonly number[], toCosts: readonly number[]): number {
  return 100 * (geometricMean(costs) / geometricMean(toCosts) - 1)
}

interface Variants extends AsyncDisposable {
  readonly sides: readonly Side[]
}

/** Starts a process with several services, each with its own copy of a loaded file. */
async function startVariants(
  workspace: Workspace,
  loaded: string,
  variants: readonly Readonly<Record<string, string>>[],
): Promise<Variants> {
  await using parts = new AsyncDisposableStack()
  // Drops the spans that it receives.
  const collector = parts.use(await startPeer(sendJson(200, {})))
  const settings = variants.map((own, index) => {
    const file = join(workspace.folder, `variant-${index}.db`)
    copyFileSync(loaded, file)
    return { OQS_STORE: `sqlite:${file}`, ...own }
  })
  const urls: URL[] = []
  const server = await startServer(
    workspace,
    {
      file: process.execPath,
      args: [...NODE_FLAGS, PROGRAM, JSON.stringify(settings)],
      env: {
        ...OFF,
        ...NO_LIMITS,
        OQS_PORT: '0',
        OQS_ADMIN_TOKEN: TOKEN,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      },
      headers: { authorization: `Bearer ${TOKEN}` },
    },
    async (child) => {
      for await (const url of listeningUrls(child)) {
        urls.push(url)
        if (urls.length === settings.length) return url
      }
      throw new Error('The services exited before they were ready.')
    },
  )
  parts.use(server)
  const sides = variants.map((_, index) => {
    const target = { ...server, url: urls[index] ?? server.url }
    return {
      name: String(index),
      cases: [{ name: 'page of 100', server: target, calls: [listPages()(100)] }],
    }
  })
  const running = parts.move()
  return { sides, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
