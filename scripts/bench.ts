/** Measures pages and queries on both stores; see the help. */
import { measureAgainst } from './bench/against.ts'
import { describeMachine, writeDocument } from './bench/document.ts'
import { measureStore } from './bench/measure-store.ts'
import { type BenchOptions, FULL, OBJECTS_MIN, QUICK } from './bench/options.ts'
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
import { judge, type Mark } from './measure/marks.ts'
import { print } from './measure/progress.ts'
import { programOf } from './measure/service.ts'

const HELP = `Usage: npm run bench -- [options]

Measures what a page costs, on SQLite and on PostgreSQL: plain pages against the bare store and the
ceiling, deep pages, snapshots, queries, the page cache, two workers, updated objects, and memory
with 32 readers. Prints Markdown; a full run also writes docs/benchmarks.md, which explains the
figures. The ceiling needs wrk (Debian package wrk); without it the rest is measured.

A full run takes about 20 minutes and 6 GB in TMPDIR. Everything is removed afterwards. The exit
status is 0, 1 when a mark is missed, or 2 when the run fails. A quick run judges nothing.

${STORE_HELP}
  --objects N       objects to load (${FULL.objects}; at least ${OBJECTS_MIN})
  --rounds N        rounds in which every case is measured once (${FULL.rounds})
  --quick           ${QUICK.objects} objects and ${QUICK.rounds} short rounds: about 2 minutes, 1 GB
  --against PATH    run the cases against the service of another checkout as well, in the same
                    rounds, and print CPU and p50 of this checkout divided by those of the other
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
  async run(values) {
    const usual = values.quick ? QUICK : FULL
    const options: BenchOptions = {
      ...usual,
      objects: wholeNumber('--objects', values.objects, { min: OBJECTS_MIN, usual: usual.objects }),
      rounds: wholeNumber('--rounds', values.rounds, { min: 1, usual: usual.rounds }),
    }
    const stores = chosenStores(values)
    const machine = describeMachine()
    print(machine)
    if (values.against !== undefined) {
      programOf(values.against)
      const marks: Mark[] = []
      for (const store of stores) {
        marks.push(...(await measureAgainst(store, values.against, options)))
      }
      return judgeFull(marks, values.quick)
    }

    const sections: string[] = []
    const marks: Mark[] = []
    for (const store of stores) {
      const report = await measureStore(store, options)
      sections.push(report.text)
      marks.push(...report.marks)
    }
    if (values.peers) {
      const { measurePeers } = await import('./bench/peers/measure-peers.ts')
      sections.push(await measurePeers(options))
    }
    const isFull =
      !values.quick &&
      stores.length === STORES.length &&
      options.objects >= FULL.objects &&
      options.rounds >= FULL.rounds
    if (isFull || values.write) writeDocument({ machine, options, marks, sections })
    return judgeFull(marks, values.quick)
  },
})

function judgeFull(marks: readonly Mark[], isQuick: boolean): boolean {
  if (!isQuick) return judge(marks)
  print('\nThe rounds of a quick run are too short to judge marks.')
  return true
}
