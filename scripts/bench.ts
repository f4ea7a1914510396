import { cpus } from 'node:os'
import { loadStore, updateObjects, updateOneObject } from './bench/load-objects.ts'
import { measureRounds } from './bench/measure.ts'
import { type BenchOptions, HELP, readOptions } from './bench/options.ts'
import { freshPhase, markFreshWalks, type Phase, updatedPhase } from './bench/phases.ts'
import { startBareServer, startService } from './bench/processes.ts'
import { clearProgress, showProgress } from './bench/progress.ts'
import { printComparisons, printTables } from './bench/report.ts'
import { openWorkspace } from './bench/workspace.ts'

/** Measures what a page costs: by depth, as of a snapshot, and beside the least it could cost. */

const options = readOptions(process.argv.slice(2))
if (options === 'help') console.log(HELP)
else process.exitCode = (await bench(options)) ? 0 : 1

/** Gives whether every target was met. */
async function bench(options: BenchOptions): Promise<boolean> {
  await using workspace = openWorkspace()
  const { objects } = options
  print(`Node ${process.versions.node} on ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`)
  print(await loadStore(workspace.storePath, objects))

  await using service = await startService(workspace)
  await using bare = await startBareServer(workspace, service)
  showProgress('walking to the deep pages')
  const marks = await markFreshWalks(service, objects)
  const freshMet = await measurePhase(freshPhase(service, bare, marks), options)

  print(await updateObjects(service, objects))
  showProgress('walking to the deep pages of a newer snapshot')
  const newer = await markFreshWalks(service, objects)
  // From here on the newer snapshot, too, is not the newest version any more.
  await updateOneObject(service)
  const updatedMet = await measurePhase(updatedPhase(service, marks, newer), options)
  return freshMet && updatedMet
}

async function measurePhase(phase: Phase, options: BenchOptions): Promise<boolean> {
  const measurements = await measureRounds(phase.cases, options)
  clearProgress()
  printTables(phase, measurements)
  return printComparisons(phase, measurements)
}

function print(line: string): void {
  clearProgress()
  console.log(line)
}
