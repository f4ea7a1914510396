/** Writes docs/benchmarks.md. */
import { writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { type Mark, markTable } from '../measure/marks.ts'
import { count, toMarkdown } from '../measure/table.ts'
import type { BenchOptions } from './options.ts'

const DOCUMENT = new URL('../../docs/benchmarks.md', import.meta.url)

export interface BenchReport {
  readonly machine: string
  readonly options: BenchOptions
  readonly marks: readonly Mark[]
  /** Markdown. */
  readonly sections: readonly string[]
}

export function writeDocument({ machine, options, marks, sections }: BenchReport): void {
  const { objects, rounds, sliceMs } = options
  const run = `${count(objects)} objects, ${rounds} rounds of ${sliceMs} ms per case, 4 requests in flight.`
  const parts = [
    '# Benchmarks',
    INTRODUCTION,
    `${run}\n${machine}.`,
    HOW_TO_READ,
    '## Marks',
    toMarkdown(markTable(marks)),
    ...sections,
  ]
  writeFileSync(DOCUMENT, `${parts.join('\n\n')}\n`)
}

/** Returns what the figures depend on, and nothing that identifies the machine. */
export function describeMachine(): string {
  const model = cpus()[0]?.model ?? 'unknown processor'
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  const load = (loadavg()[0] ?? 0).toFixed(1)
  return `Node ${process.versions.node} on ${cpus().length} × ${model}, ${gigabytes} GB, load before the run ${load}`
}

const INTRODUCTION = `\`npm run bench\` writes this page; a later full run replaces it. \`npm run bench -- --quick\` takes two minutes
and writes nothing. \`npm run bench -- --against PATH\` compares two checkouts in one run.`

const HOW_TO_READ = `## How to read the figures

The load generator, the service and the database share one machine. Absolute figures differ between machines. Ratios hardly
do, so the marks are ratios.

- **kB**: the size of a response. **req/s**: responses per second, the median of the rounds. **p50**, **p99**: milliseconds until
  the last byte.
- **CPU µs**: CPU time of the service per response, all threads and processes together. It is the lower quartile of the rounds,
  because other programs can only add to it. The CPU time of PostgreSQL is not included.
- **Marks**: a CPU ratio compares these lower quartiles. A ratio of p50 or req/s is the median over the rounds of the ratio
  within each round. Marks are wider than the noise of a shared machine.
- **bare store**: bare \`node:http\` that sends the rows as plain SQL returns them, without tokens, checks, callers or envelope.
- **ceiling**: bare \`node:http\` that sends a constant page. Its load comes from wrk, because a load generator in JavaScript limits
  it.
- Pages are read from the store (\`OQS_PAGE_CACHE_BYTES=0\`) unless the case says *page cache*.
- **Last pages**: the last 20 full pages of a walk; **spread pages** cover all of it. **Page 1** of a filtered query also counts
  all matches for \`totalCount\`.
- **private MB**: memory of the service without mapped files. **peak RSS** includes the mapped parts of the database file, which the
  system reclaims when memory is short.`
