/** Measures pages and queries on both stores; see the help. */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { measureAgainst } from './bench/against.ts'
import { type BenchOptions, measureStore } from './bench/measure-store.ts'
import {
  chosenStores,
  FLAG,
  runScript,
  STORE_FLAGS,
  STORE_HELP,
  STORES,
  TEXT,
  wholeNumber,
} from './measure/command-line.ts'
import { judge, type Mark, markTable } from './measure/marks.ts'
import { print } from './measure/progress.ts'
import { programOf } from './measure/service.ts'
import { count, toMarkdown } from './measure/table.ts'

const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url)
/** With fewer objects some queries have no two full pages. */
const OBJECTS_MIN = 20_000

const FULL: BenchOptions = {
  objects: 1_000_000,
  rounds: 12,
  sliceMs: 200,
  warmUpMs: 40_000,
  ceiling: { rounds: 5, seconds: 3 },
}
const QUICK: BenchOptions = {
  objects: 30_000,
  rounds: 4,
  sliceMs: 40,
  warmUpMs: 500,
  ceiling: { rounds: 1, seconds: 1 },
}

const HELP = `Usage: npm run bench -- [options]

Measures what a page costs, on SQLite and on PostgreSQL: plain pages against the bare store and the
ceiling, deep pages, snapshots, queries, callers with policies, the page cache, two workers, updated
objects, and memory with 32 readers. Prints Markdown; a full run also writes docs/benchmarks.md, which
explains the figures. The ceiling needs wrk (Debian package wrk); without it the rest is measured.

A full run takes about 20 minutes and 6 GB in TMPDIR. Everything is removed afterwards. The exit
status is 0, 1 when a mark is missed, or 2 when the run fails. A quick run judges nothing.

${STORE_HELP}
  --objects N       objects to load (${FULL.objects}; at least ${OBJECTS_MIN})
  --rounds N        rounds in which every case is measured once (${FULL.rounds})
  --quick           ${QUICK.objects} objects and ${QUICK.rounds} short rounds: about 2 minutes, 1 GB
  --against PATH    run the cases against the service of another checkout as well, in the same
                    rounds, and print CPU and p50 of this checkout divided by those of the other;
                    on PostgreSQL, CPU includes the database
  --peers           also measure other services, where they are installed: 10 minutes more
  --write           write docs/benchmarks.md after any run
  --help            this text`

await runScript({
  name: 'bench',
  help: HELP,
  options: {
    ...STORE_FLAGS,
    objects: TEXT,
    rounds: TEXT,
    quick: FLAG,
    against: TEXT,
    peers: FLAG,
    write: FLAG,
  },
  async run({ quick, against, peers, write, ...values }) {
    const usual = quick ? QUICK : FULL
    const options: BenchOptions = {
      ...usual,
      objects: wholeNumber('--objects', values.objects, { min: OBJECTS_MIN, usual: usual.objects }),
      rounds: wholeNumber('--rounds', values.rounds, { min: 1, usual: usual.rounds }),
    }
    const stores = chosenStores(values)
    const conditions = describeRun(options)
    print(conditions)
    if (against !== undefined) programOf(against)
    const marks: Mark[] = []
    const sections: string[] = []
    for (const store of stores) {
      if (against === undefined) {
        const report = await measureStore(store, options)
        marks.push(...report.marks)
        sections.push(report.text)
      } else {
        marks.push(...(await measureAgainst(store, against, options)))
      }
    }
    if (peers) {
      const { measurePeers } = await import('./bench/peers/measure-peers.ts')
      sections.push(await measurePeers(options))
    }
    const isLarge = options.objects >= FULL.objects && options.rounds >= FULL.rounds
    const isFull = !quick && isLarge && stores.length === STORES.length && against === undefined
    if (isFull || write) writeDocument([conditions, toMarkdown(markTable(marks)), ...sections])
    if (!quick) return judge(marks)
    print('\nThe rounds of a quick run are too short to judge marks.')
    return true
  },
})

/** Returns what the figures depend on, and nothing that identifies the machine. */
function describeRun({ objects, rounds, sliceMs }: BenchOptions): string {
  const model = cpus()[0]?.model ?? 'unknown processor'
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  const load = (loadavg()[0] ?? 0).toFixed(1)
  return `${count(objects)} objects, ${rounds} rounds of ${sliceMs} ms per case, 4 requests in flight.
Node ${process.versions.node} on ${cpus().length} × ${model}, ${gigabytes} GB, load before the run ${load}.`
}

/** Replaces the figures of docs/benchmarks.md, which begin with the marks; the explanation stays. */
function writeDocument(parts: readonly string[]): void {
  const [explanation] = readFileSync(DOCUMENT, 'utf8').split(/(?<=\n## Marks\n)/)
  writeFileSync(DOCUMENT, `${explanation}\n${parts.join('\n\n')}\n`)
}
