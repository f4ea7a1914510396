import { parseArgs } from 'node:util'
import { ROUND_OPTIONS, readCommandLine, wholeNumber } from './bench/command-line.ts'
import { LAYOUT_NAMES } from './bench/layouts/layout.ts'
import { type LayoutStore, openLayoutStore, partMaker } from './bench/layouts/layout-store.ts'
import { LAYOUTS } from './bench/layouts/layouts.ts'
import { checkPages, freshPages, type PageCase, updatedPages } from './bench/layouts/read-phases.ts'
import { printPages, printSizes, printWrites } from './bench/layouts/report.ts'
import { startLayoutServer } from './bench/layouts/start-server.ts'
import {
  BATCH_OBJECTS,
  everyFifthPhase,
  loadPhase,
  runWritePhase,
  scatteredPhase,
  singlePhase,
  type WritePhase,
} from './bench/layouts/write-phases.ts'
import { clearProgress } from './bench/progress.ts'
import { measureInRounds, type RoundOptions } from './bench/rounds.ts'
import { openWorkspace } from './bench/workspace.ts'

/** Measures other ways to keep records on SQLite beside the rows of the store. */

const OBJECTS_MIN = 10_000
const FULL = { objects: 300_000, rounds: 12, sliceMs: 200 }
const QUICK = { objects: 20_000, rounds: 4, sliceMs: 100 }

const HELP = `Usage: npm run bench:layouts -- [--objects N] [--rounds N] [--quick]

Writes the same objects into four layouts and reads pages of them through bare node:http:

  rows        the table of the store and its page SQL
  ready       rows that hold the finished record of revision 1.0, bodies nowhere else
  clustered   bodies in a table WITHOUT ROWID, sorted by key
  segments    100 finished records in one BLOB, beside the rows; one change rewrites its segment

Every layout keeps the rows and indexes that questions need. Pages are others each time, from all
over the table. All figures are ratios of one run, taken by turns: "of the ceiling" is requests per
second over those of a constant page, "by CPU" the processor time of a constant page over that of
the case. See docs/decisions/010-rows-not-segments.md. A full run takes about ten minutes and 2 GB
in TMPDIR, which are given back; nothing is judged.

  --objects N  objects to write (${FULL.objects}; at least ${OBJECTS_MIN})
  --rounds N   rounds in which every case is measured once (${FULL.rounds})
  --quick      ${QUICK.objects} objects and ${QUICK.rounds} rounds: under a minute
  --help       this text`

interface Options extends RoundOptions {
  readonly objects: number
}

async function bench({ objects, ...options }: Options): Promise<void> {
  using workspace = openWorkspace()
  using opened = new DisposableStack()
  const stores: LayoutStore[] = []
  for (const name of LAYOUT_NAMES) {
    stores.push(opened.use(await openLayoutStore(workspace.folder, name)))
  }
  const makePut = await partMaker(workspace.folder)
  const write = (phase: WritePhase) => {
    const costs = runWritePhase(phase, stores, makePut)
    clearProgress()
    printWrites(phase.title, costs)
  }
  const measure = async (title: string, cases: readonly PageCase[]) => {
    const measured = await measureInRounds(cases, options)
    clearProgress()
    printPages(title, measured)
  }

  write(loadPhase(objects))
  printSizes('file, loaded', settle(stores))
  await using server = await startLayoutServer(workspace)
  await checkPages(server, objects, checks(undefined))
  await measure('Fresh', freshPages(server, objects))

  // The version that was loaded last, seen as a snapshot from now on.
  const loaded = Math.ceil(objects / BATCH_OBJECTS)
  write(singlePhase(objects))
  write(scatteredPhase(objects))
  printSizes('file, so far', settle(stores))
  write(everyFifthPhase(objects))
  printSizes('file, every fifth updated', settle(stores))
  await checkPages(server, objects, [...checks(undefined), ...checks(loaded)])
  await measure('Updated', updatedPages(server, objects, loaded))
}

function checks(version: number | undefined) {
  return LAYOUT_NAMES.flatMap((layout) =>
    LAYOUTS[layout].revisions.map((revision) => ({ layout, revision, version })),
  )
}

/** Bytes by layout. */
function settle(stores: readonly LayoutStore[]): ReadonlyMap<string, number> {
  return new Map(stores.map((store) => [store.name, store.settle()]))
}

function readOptions(): Options | 'help' {
  const { values } = parseArgs({ options: ROUND_OPTIONS })
  if (values.help) return 'help'
  const usual = values.quick ? QUICK : FULL
  const objects = { min: OBJECTS_MIN, usual: usual.objects }
  return {
    ...usual,
    objects: wholeNumber('--objects', values.objects, objects),
    rounds: wholeNumber('--rounds', values.rounds, { min: 1, usual: usual.rounds }),
  }
}

const options = readCommandLine('bench:layouts', readOptions)
if (options === 'help') console.log(HELP)
else if (options !== undefined) await bench(options)
