import { listingPhase, markPlainWalks, markSnapshot } from './listing-phase.ts'
import { loadStore, updateObjects, updateOneObject } from './load-objects.ts'
import { measureRounds } from './measure.ts'
import type { BenchOptions, StoreName } from './options.ts'
import type { Phase } from './page-case.ts'
import { type PhaseReport, reportPhase } from './phase-report.ts'
import { type MeasuredProcess, startBareServer, startService } from './processes.ts'
import { showProgress } from './progress.ts'
import { questionPhase } from './question-phase.ts'
import { measureReaders, type ReadersReport } from './readers.ts'
import { openEmptyStore } from './stores.ts'
import { updatedPhase } from './updated-phase.ts'
import { workersPhase } from './workers-phase.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

/** All that is measured on one store. */
export interface StoreReport {
  readonly store: StoreName
  /** How fast it was filled, started and changed: a line each. */
  readonly notes: readonly string[]
  readonly phases: readonly PhaseReport[]
  readonly readers: ReadersReport
}

/** Hears of every part of a report as soon as it is there. */
export interface ReportListener {
  onNote(line: string): void
  onPhase(report: PhaseReport): void
  onReaders(report: ReadersReport): void
}

/** Every page is read from the store. */
const WITHOUT_CACHE = { OQS_PAGE_CACHE_BYTES: '0' }

export async function measureStore(
  store: StoreName,
  options: BenchOptions,
  listener: ReportListener,
): Promise<StoreReport> {
  const notes: string[] = []
  const note = (line: string) => {
    notes.push(line)
    listener.onNote(line)
  }
  const phases: PhaseReport[] = []
  const measure = async (phase: Phase) => {
    const report = reportPhase(phase, await measureRounds(phase.cases, options), options.judges)
    phases.push(report)
    listener.onPhase(report)
  }

  using workspace = openWorkspace()
  await using emptyStore = await openEmptyStore(store, workspace)
  const { url } = emptyStore
  const { objects } = options
  note(await loadStore(url, objects))
  await using cold = await startService(workspace, url, WITHOUT_CACHE)
  note(describeStart(cold))
  showProgress('walking to the pages that are measured')
  const walks = await markPlainWalks(cold, objects)
  {
    await using hot = await startService(workspace, url)
    await using bare = await startBareServer(workspace, cold, url)
    await measure(listingPhase(store, { cold, hot, bare }, walks))
  }
  showProgress('walking through questions')
  await measure(await questionPhase(cold, walks))
  {
    await using two = await startService(workspace, url, { ...WITHOUT_CACHE, OQS_WORKERS: '2' })
    await measure(workersPhase(store, cold, two, walks.list))
  }
  const readers = await measureFreshReaders(workspace, url)
  listener.onReaders(readers)

  note(await updateObjects(cold, objects))
  showProgress('walking through a snapshot')
  const newer = await markSnapshot(cold, objects)
  // From here on the newer snapshot, too, is not the newest version any more.
  await updateOneObject(cold)
  await measure(updatedPhase(cold, walks, newer))
  return { store, notes, phases, readers }
}

/** On a service of their own: what another was asked before counts for its memory. */
async function measureFreshReaders(workspace: Workspace, store: string): Promise<ReadersReport> {
  await using service = await startService(workspace, store)
  return await measureReaders(service)
}

function describeStart({ startMs }: MeasuredProcess): string {
  return `the service listened ${(startMs / 1000).toFixed(2)} s after its start`
}
