import { cpus, loadavg } from 'node:os'
import { createDatabase } from '../test/support/postgres.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import type { Target } from './bench/http-client.ts'
import { loadStore, updateObjects, updateOneObject } from './bench/load-objects.ts'
import { measureRounds } from './bench/measure.ts'
import { type BenchOptions, HELP, readOptions } from './bench/options.ts'
import { type FreshMarks, freshPhase, type Phase, updatedPhase } from './bench/phases.ts'
import { startBareServer, startService } from './bench/processes.ts'
import { clearProgress, showProgress } from './bench/progress.ts'
import { queryPhase } from './bench/query-phase.ts'
import { printComparisons, printTables } from './bench/report.ts'
import {
  type DeepMarks,
  listPages,
  markWalks,
  PAGE_SIZES,
  SEARCH_PAGE_SIZES,
  searchPages,
} from './bench/walk.ts'
import { openWorkspace } from './bench/workspace.ts'

/** Measures what a page costs: by depth, as of a snapshot, and beside the least it could cost. */

process.exitCode = await main(process.argv.slice(2))

/** 0 when every target was met, 1 when one was missed, 2 when the command line is wrong. */
async function main(words: readonly string[]): Promise<0 | 1 | 2> {
  let options: BenchOptions | 'help'
  try {
    options = readOptions(words)
  } catch (error) {
    console.error(`bench: ${(error as Error).message}`)
    return 2
  }
  if (options === 'help') {
    console.log(HELP)
    return 0
  }
  return (await bench(options)) ? 0 : 1
}

/** Gives whether every target was met. */
async function bench(options: BenchOptions): Promise<boolean> {
  await using workspace = openWorkspace()
  const { objects } = options
  print(describeMachine())
  await using database = options.store === 'postgres' ? await openPostgres() : undefined
  const store = database?.url ?? workspace.sqlite
  print(await loadStore(store, objects))

  await using service = await startService(workspace, store)
  await using bare = await startBareServer(workspace, service, store)
  const marks = await markFreshWalks(service, objects)
  const freshMet = await measurePhase(freshPhase(service, bare, marks), options)

  const queriesMet = await measurePhase(await queryPhase(service), options)

  print(await updateObjects(service, objects))
  const newer = await markSnapshots(service, objects)
  // From here on the newer snapshot, too, is not the newest version any more.
  await updateOneObject(service)
  const updatedMet = await measurePhase(updatedPhase(service, marks, newer), options)
  return freshMet && queriesMet && updatedMet
}

/** A new database, on a server that is durable as one in service would be. */
async function openPostgres() {
  await using parts = new AsyncDisposableStack()
  const given = process.env['OQS_TEST_POSTGRES']
  const url = given ?? parts.use(await startPostgresServer({ isDurable: true })).url
  const database = parts.use(await createDatabase(url))
  const running = parts.move()
  return { url: database.url, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function markFreshWalks(service: Target, objects: number): Promise<FreshMarks> {
  showProgress('walking to the deep pages')
  return {
    list: await markWalks(service, objects, PAGE_SIZES, (size) => listPages(size, 'default')),
    snapshot: await markSnapshots(service, objects),
    search: await markWalks(service, objects, SEARCH_PAGE_SIZES, searchPages),
  }
}

function markSnapshots(service: Target, objects: number): Promise<readonly DeepMarks[]> {
  showProgress('walking to the deep pages of a snapshot')
  return markWalks(service, objects, PAGE_SIZES, (size) => listPages(size, 'snapshot'))
}

async function measurePhase(phase: Phase, options: BenchOptions): Promise<boolean> {
  const measurements = await measureRounds(phase.cases, options)
  clearProgress()
  printTables(phase, measurements)
  return printComparisons(phase, measurements)
}

function describeMachine(): string {
  const load = (loadavg()[0] ?? 0).toFixed(1)
  const model = cpus()[0]?.model ?? 'unknown processor'
  return `Node ${process.versions.node} on ${cpus().length} × ${model}, load before the run ${load}`
}

function print(line: string): void {
  clearProgress()
  console.log(line)
}
