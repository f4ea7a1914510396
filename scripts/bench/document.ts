import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { chartsOf, type NamedChart } from './charts.ts'
import { describeMarks, summariseMarks } from './mark-summary.ts'
import type { StoreReport } from './measure-store.ts'
import { type BenchOptions, CONCURRENCY } from './options.ts'
import type { PeerReport } from './peer-report.ts'
import { peersTable, phaseTables, readersTable } from './report-tables.ts'
import { drawBarChart } from './svg-chart.ts'
import { count, toMarkdown } from './table.ts'

/** Reports → docs/benchmarks.md and its charts: all of it, so that a run replaces what was there. */

export interface BenchReport {
  readonly machine: string
  readonly options: BenchOptions
  readonly stores: readonly StoreReport[]
  readonly peers: PeerReport | undefined
}

const DOCUMENT = new URL('../../docs/benchmarks.md', import.meta.url)
const CHARTS = new URL('../../docs/benchmarks/', import.meta.url)

export function writeDocument(report: BenchReport): void {
  const charts = chartsOf(report.stores)
  rmSync(CHARTS, { recursive: true, force: true })
  mkdirSync(CHARTS, { recursive: true })
  for (const { name, chart } of charts) {
    writeFileSync(new URL(`${name}.svg`, CHARTS), drawBarChart(chart))
  }
  writeFileSync(DOCUMENT, documentText(report, charts))
}

function documentText(report: BenchReport, charts: readonly NamedChart[]): string {
  const { machine, options, stores, peers } = report
  const parts = [
    '# Benchmarks',
    introduction(machine, options),
    HOW_TO_READ,
    '## At a glance',
    ...charts.map(({ name, chart }) => `![${chart.title}](benchmarks/${name}.svg)`),
    '## Marks',
    describeMarks(summariseMarks(stores)),
    ...stores.flatMap(storePart),
    ...(peers === undefined ? [] : peersPart(peers)),
  ]
  return `${parts.join('\n\n')}\n`
}

function introduction(machine: string, { objects, rounds, sliceMs }: BenchOptions): string {
  return `Written by \`npm run bench\`; a later full run replaces it. To measure for yourself: \`npm run bench -- --quick\` (two
minutes), \`npm run bench\` (40 minutes, 6 GB of disk for as long), \`npm run growth\` (one to ten million objects); each has \`--help\`.

${count(objects)} objects of about 400 bytes with seven properties,
in ${rounds} rounds of ${sliceMs} ms for each case, ${CONCURRENCY} requests always under way.

${machine}.`
}

const HOW_TO_READ = `## How to read it

The load generator, the service and the database share one machine. Figures of another machine differ; ratios hardly do, and
ratios are what has marks.

- **kB**: the body of one answer. **req/s**: answers per second, the median of the rounds. **p50**, **p99**: milliseconds until the
  last byte.
- **CPU µs**: processor time of the server for one answer, all its threads and processes together; the lower quartile of the rounds,
  because whatever else runs on a machine only ever adds to it. That of PostgreSQL is not counted, neither for the service nor for
  the bare store.
- **Ratios**: of CPU, that of the two figures; of p50 and req/s, the median over the rounds of what the two sides had in the same
  round. **By round** are the quartiles of the CPU ratio of each round, which need not lie around the ratio of the two figures: far
  apart means that the machine was busy, and that a mark which is missed by little says little. A **mark** names the measures that
  must keep it; ratios without one are for information.
- **ceiling**: bare \`node:http\` that sends the same bytes every time, which no server on Node beats.
- **bare store**: bare \`node:http\` that sends what the store's own SQL gives, without tokens, checks, callers or envelope.
- **cold**, which is everything that is not called hot: the page cache is off (\`OQS_PAGE_CACHE_BYTES=0\`) and different pages are asked
  for in turn. **hot**: the service as it is when nothing is set, asked for one page again and again.
- **pages 900-919**: these pages in turn. A walk that ends before shows the last pages it has.
- **page 1** of a question with conditions counts all matches for \`totalCount\`, and the pages behind it do not.
- **own MB**: the most memory that is the service's own; **peak RSS** counts the parts of the database file that it maps as well, which
  belong to the system's cache and are taken back when memory is short.`

function storePart({ store, notes, phases, readers }: StoreReport): readonly string[] {
  return [
    `## ${store}`,
    notes.map((note) => `- ${note}`).join('\n'),
    ...phases.flatMap((phase) => [
      `### ${store}: ${phase.title}`,
      ...phaseTables(phase).map(toMarkdown),
    ]),
    `### ${store}: many readers`,
    toMarkdown(readersTable(readers)),
  ]
}

function peersPart(peers: PeerReport): readonly string[] {
  return [
    '## Beside other services',
    toMarkdown(peersTable(peers)),
    peers.notes.map((note) => `- ${note}`).join('\n'),
  ]
}
