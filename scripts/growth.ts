import { statSync } from 'node:fs'
import { join } from 'node:path'
import { readCommandLine } from './bench/command-line.ts'
import { updateOneObject } from './bench/load-objects.ts'
import { startService } from './bench/processes.ts'
import { clearProgress, showProgress } from './bench/progress.ts'
import { measureInRounds } from './bench/rounds.ts'
import { median } from './bench/statistics.ts'
import { openWorkspace, type Workspace } from './bench/workspace.ts'
import { casesOf, type GrowthCase, type SizedService } from './growth/cases.ts'
import { checkRoom } from './growth/disk.ts'
import { type Imported, importObjects } from './growth/import-objects.ts'
import { type GrowthOptions, HELP, readOptions } from './growth/options.ts'
import { findPlaces } from './growth/places.ts'
import { peakMegabytes } from './growth/readers.ts'
import { printCases, printFigures, printSizes } from './growth/report.ts'

/** Measures how costs grow with the number of objects. */

/** The same pages are asked for again and again; what is measured is reading them. */
const WITHOUT_CACHE = { OQS_PAGE_CACHE_BYTES: '0' }

process.exitCode = await main(process.argv.slice(2))

/** 0 when every mark was met, 1 when one was missed, 2 when the run cannot be made. */
async function main(words: readonly string[]): Promise<0 | 1 | 2> {
  using workspace = openWorkspace()
  const options = readCommandLine('growth', () => {
    const read = readOptions(words)
    if (read !== 'help') {
      checkRoom(
        workspace.folder,
        read.sizes.reduce((sum, size) => sum + size, 0),
      )
    }
    return read
  })
  if (options === undefined) return 2
  if (options === 'help') {
    console.log(HELP)
    return 0
  }
  return (await measureGrowth(workspace, options)) ? 0 : 1
}

interface SizedStore extends Imported {
  readonly objects: number
  /** As `OQS_STORE` names it. */
  readonly name: string
  readonly bytes: number
}

/** Gives whether every mark was met. */
async function measureGrowth(workspace: Workspace, options: GrowthOptions): Promise<boolean> {
  const stores: SizedStore[] = []
  for (const objects of options.sizes) stores.push(await loadStore(workspace, objects))
  const startMs = await measureStarts(workspace, stores, options.starts)

  await using running = new AsyncDisposableStack()
  const services: SizedService[] = []
  for (const { name, objects } of stores) {
    const service = running.use(await startService(workspace, name, WITHOUT_CACHE))
    showProgress(`walking ${objects.toLocaleString('en')}`)
    const snapshotPlaces = await findPlaces(service, objects, 'snapshot')
    // From here on the snapshot is not the newest version any more.
    await updateOneObject(service)
    const places = await findPlaces(service, objects, 'default')
    services.push({ objects, service, places, snapshotPlaces })
  }
  const cases: (readonly GrowthCase[])[] = []
  for (const sized of services) cases.push(await casesOf(sized))
  const kinds = byKind(cases)
  // The sizes of one kind follow each other closely: these are compared.
  const measured = await measureInRounds(kinds.flat(), options)
  const megabytes: number[] = []
  for (const sized of services) {
    showProgress(`32 readers on ${sized.objects.toLocaleString('en')}`)
    megabytes.push(await peakMegabytes(sized, options.pagesPerReader))
  }
  clearProgress()

  printSizes(options.sizes)
  printStores(stores)
  printFigures('start until it listens, ms', startMs)
  printFigures('service with 32 readers, most MB', megabytes)
  return kinds.map((kind) => printCases(kind, measured, options.judges)).every(Boolean)
}

async function loadStore(workspace: Workspace, objects: number): Promise<SizedStore> {
  const path = join(workspace.folder, `${objects}.db`)
  const name = `sqlite:${path}`
  const imported = await importObjects(workspace, name, objects)
  return { ...imported, objects, name, bytes: statSync(path).size }
}

/** Medians, by turns. */
async function measureStarts(
  workspace: Workspace,
  stores: readonly SizedStore[],
  starts: number,
): Promise<readonly number[]> {
  const times = stores.map((): number[] => [])
  for (let start = 1; start <= starts; start++) {
    showProgress(`starting: round ${start} of ${starts}`)
    for (const [index, { name }] of stores.entries()) {
      const before = performance.now()
      await using _service = await startService(workspace, name)
      times[index]?.push(performance.now() - before)
    }
  }
  return times.map(median)
}

/** Cases by size → cases by what they ask. */
function byKind(cases: readonly (readonly GrowthCase[])[]): readonly (readonly GrowthCase[])[] {
  const [first = []] = cases
  return first.map((_, kind) => cases.flatMap((ofSize) => ofSize[kind] ?? []))
}

function printStores(stores: readonly SizedStore[]): void {
  const print = (name: string, figureOf: (store: SizedStore) => number) =>
    printFigures(name, stores.map(figureOf))
  print('import, objects/s', ({ objects, seconds }) => objects / seconds)
  print('import, CPU µs per object', ({ objects, cpuMicros }) => cpuMicros / objects)
  print('import, most MB', ({ megabytes }) => megabytes)
  print('file, MB', ({ bytes }) => bytes / 1e6)
  print('file, bytes per object', ({ objects, bytes }) => bytes / objects)
}
