/** What metrics, the audit log and tracing add to the CPU time of a page. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sendJson, startPeer } from '../../test/support/http-peer.ts'
import type { Part } from '../measure/command.ts'
import { compareSides, type RoundOptions, type Side } from '../measure/compare.ts'
import { listPages } from '../measure/pages.ts'
import { loadParts } from '../measure/parts.ts'
import {
  atMost,
  geometricMean,
  median,
  quantile,
  showProgress,
  toMarkdown,
} from '../measure/report.ts'
import { NO_CACHE, NO_LIMITS, NODE_FLAGS, type Workbench } from '../measure/workbench.ts'

const OBJECTS = 1000
/** The largest share of a page's CPU time that metrics and sampled traces may add. */
const LIMIT_PERCENT = 3
const PROGRAM = fileURLToPath(new URL('./serve-variants.ts', import.meta.url))

type Settings = Readonly<Record<string, string>>

/** Everything that can be observed is off, except for what a variant turns on. */
const OFF = { ...NO_CACHE, ...NO_LIMITS, OQS_METRICS: 'off', OQS_LOG_LEVEL: 'silent' }
const VARIANTS: readonly { readonly name: string; settings: Settings; isJudged?: true }[] = [
  { name: 'metrics', settings: { OQS_METRICS: 'token' }, isJudged: true },
  { name: 'audit of all requests', settings: { OQS_AUDIT: 'all' } },
  { name: 'traces of 1 %', settings: { OQS_TRACE_SAMPLING: '0.01' }, isJudged: true },
  { name: 'traces of 100 %', settings: { OQS_TRACE_SAMPLING: '1' } },
]
const NOTHING = 'nothing'
/** Which services of a process have the setting: as often early as late. */
const ORDER = [false, true, true, false, true, false, false, true]

export const observation: Part<RoundOptions & { readonly starts: number }> = {
  about: `Reads pages of 100 objects from services that differ only in their settings, on SQLite and without
a page cache. Equal processes differ by up to a quarter for as long as they run, so four services with
a setting run in one process with four without it. Each process is started several times, and the
median over the starts counts. "nothing" compares two of the services without the setting with the
other two, in either direction, and shows the noise. What runs later in bursts, such as storing audit
records and sending spans, is not included. About 9 minutes; a quick run 25 seconds.`,
  full: { starts: 5, rounds: 60, sliceMs: 40, warmUpMs: 3000 },
  quick: { starts: 1, rounds: 4, sliceMs: 40, warmUpMs: 300 },
  stores: ['SQLite'],
  async run({ bench, numbers, print }) {
    const loaded = join(bench.folder, 'loaded.db')
    {
      await using service = await bench.startService({ store: `sqlite:${loaded}` })
      await loadParts(bench, service, OBJECTS)
    }
    const names = [NOTHING, ...VARIANTS.map(({ name }) => name)]
    const added = new Map(names.map((name) => [name, [] as number[]]))
    for (let start = 1; start <= numbers.starts; start += 1) {
      for (const { name, settings } of VARIANTS) {
        showProgress(`${name}: start ${start} of ${numbers.starts}`)
        const inOrder = ORDER.map((has) => (has ? settings : {}))
        await using variants = await startVariants(bench, loaded, inOrder)
        const { mean } = await compareSides(variants.sides, numbers)
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
    print(toMarkdown([['on', 'added CPU time', 'middle half of the starts'], ...rows]))
    return VARIANTS.filter(({ isJudged }) => isJudged).map(({ name }) =>
      atMost(LIMIT_PERCENT, `${name}, percent of a page of 100`, median(added.get(name) ?? [])),
    )
  },
}

function percentAdded(costs: readonly number[], toCosts: readonly number[]): number {
  return 100 * (geometricMean(costs) / geometricMean(toCosts) - 1)
}

/** Starts a process with several services, each with its own copy of a loaded file. */
async function startVariants(bench: Workbench, loaded: string, variants: readonly Settings[]) {
  // Drops the spans that it receives.
  const collector = bench.use(await startPeer(sendJson(200, {})))
  const settings = variants.map((own, index) => {
    const file = join(bench.folder, `variant-${index}.db`)
    copyFileSync(loaded, file)
    return { OQS_STORE: `sqlite:${file}`, ...own }
  })
  const server = await bench.startServer({
    args: [...NODE_FLAGS, PROGRAM, JSON.stringify(settings)],
    env: { ...OFF, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  })
  const sides = server.urls.map((url, index): Side => {
    const cases = [{ name: 'page of 100', server: { ...server, url }, calls: [listPages()(100)] }]
    return { name: String(index), cases }
  })
  return { sides, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
