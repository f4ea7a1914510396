/** Measures what metrics, the audit log and tracing cost per page; see the help. */
import { sendJson, startPeer } from '../test/support/http-peer.ts'
import { FLAG, runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { atMost, judge } from './measure/marks.ts'
import { print, showProgress } from './measure/progress.ts'
import { loadParts, NO_CACHE, startService } from './measure/service.ts'
import { compareSides, type Side } from './measure/sides.ts'
import { median, quantile } from './measure/statistics.ts'
import { toMarkdown } from './measure/table.ts'
import { listPages } from './measure/walk.ts'
import { openStores, openWorkspace, type Workspace } from './measure/workspace.ts'

const OBJECTS = 1000
const FULL = { starts: 12, rounds: 16, sliceMs: 100, warmUpMs: 3000 }
const QUICK = { starts: 1, rounds: 4, sliceMs: 40, warmUpMs: 300 }
/** The largest share of a page's CPU time that metrics and sampled traces may add. */
const LIMIT_PERCENT = 3

const HELP = `Usage: npm run bench:observation -- [options]

Reads pages of 100 objects from services that differ only in their settings, on one SQLite file and
without a page cache, in turn in many short rounds, and compares their CPU time. Equal processes
differ by a few percent for as long as they run, so all services are started again several times, and
the median over the starts counts. Metrics, and traces of 1 in 100 requests, may each add at most
${LIMIT_PERCENT} percent. "nothing, again" shows the noise.

A full run takes about 8 minutes. The exit status is 0, 1 when a mark is missed, or 2 when the run
fails. A quick run judges nothing.

  --starts N        how often the services are started (${FULL.starts})
  --quick           one start and ${QUICK.rounds} short rounds: about 15 seconds
  --help            this text`

const MEASURED = { metrics: 'metrics', traces: 'traces of 1 %' } as const

/** All but one or two of these are off. The first is what the others are compared with. */
const OFF = { ...NO_CACHE, OQS_METRICS: 'off', OQS_LOG_LEVEL: 'silent' }
const VARIANTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: {},
  'nothing, again': {},
  [MEASURED.metrics]: { OQS_METRICS: 'token' },
  'audit of all requests': { OQS_AUDIT: 'all' },
  [MEASURED.traces]: { OQS_TRACE_SAMPLING: '0.01' },
  'traces of 100 %': { OQS_TRACE_SAMPLING: '1' },
}

await runScript({
  name: 'bench:observation',
  help: HELP,
  options: { starts: TEXT, quick: FLAG },
  async run(values) {
    const usual = values.quick ? QUICK : FULL
    const starts = wholeNumber('--starts', values.starts, { min: 1, usual: usual.starts })
    using workspace = openWorkspace()
    await using stores = await openStores('SQLite', workspace)
    const store = await stores.create('observation')
    {
      await using service = await startService(workspace, { store })
      await loadParts(workspace, service, OBJECTS)
    }
    const added = new Map(Object.keys(VARIANTS).map((name) => [name, [] as number[]]))
    for (let start = 1; start <= starts; start += 1) {
      showProgress(`start ${start} of ${starts}`)
      await measureStart(workspace, store, usual, (name, percent) => added.get(name)?.push(percent))
    }
    const percent = (value: number) => `${value.toFixed(1)} %`
    const rows = [...added].slice(1).map(([name, each]) => {
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

/** Starts a service for each variant, and reports the CPU time that each adds to a page. */
async function measureStart(
  workspace: Workspace,
  store: string,
  options: typeof FULL,
  report: (name: string, percent: number) => void,
): Promise<void> {
  await using running = new AsyncDisposableStack()
  // Drops the spans that it receives.
  const collector = running.use(await startPeer(sendJson(200, {})))
  const sides: Side[] = []
  for (const [name, settings] of Object.entries(VARIANTS)) {
    const all = { ...OFF, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings }
    const server = running.use(await startService(workspace, { store, settings: all }))
    sides.push({ name, cases: [{ name: 'page of 100', server, calls: [listPages()(100)] }] })
  }
  const { mean } = await compareSides(sides, options)
  for (const side of sides) report(side.name, 100 * (mean(side, 'CPU') - 1))
}
