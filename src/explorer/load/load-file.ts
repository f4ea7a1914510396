import { comparison as comparisonSink } from '../../transfer/compare/change-recorder.ts'
import {
  storedObjects,
  type UndoResult,
  undoChanges,
} from '../../transfer/compare/stored-objects.ts'
import type { Rejection } from '../../transfer/import/batch-sender.ts'
import { removeType } from '../../transfer/import/change-definition.ts'
import {
  type ImportResult,
  ImportStopped,
  importFiles,
} from '../../transfer/import/import-files.ts'
import type { LoadCounts, LoadRemains, LoadSpec } from './messages.ts'
import { openEndpoints, openLoad, type WorkOptions } from './open-load.ts'

/** Rejected rows that are passed on; further ones are only counted. */
const MAX_REJECTIONS = 1000

/** Sends the objects of a file; returns the function that takes them back, if there is one. */
export async function loadFile(
  spec: LoadSpec,
  options: WorkOptions,
): Promise<(() => Promise<UndoResult>) | undefined> {
  const { ontology, created } = spec
  const { report, signal } = options
  const opened = await openLoad(spec, options)
  const { endpoints, objectType, importOptions, recordChanges, journal, bytesRead, isDue } = opened
  const typePath = { ontology, objectType: objectType.apiName }
  let rejected = 0
  let rejections: Rejection[] = []
  const reportCounts = (counts: Omit<LoadCounts, 'rejected' | 'bytesRead'>) => {
    report({ kind: 'loading', counts: { ...counts, rejected, bytesRead: bytesRead() }, rejections })
    rejections = []
  }
  /** A type that was created for the file is undone as a whole, so its objects are not recorded. */
  const hasJournal = () => created === undefined && !journal.isFull
  const remainsOf = async ({ objects, version, isUncertain }: ImportResult) => {
    const isTypeRemoved = created !== undefined && objects === 0 && !isUncertain
    if (isTypeRemoved) {
      await removeType(endpoints.administration, typePath, created === 'ontology')
    }
    const [entry] = journal.entries
    const isUndoable = hasJournal() && entry !== undefined
    return { isUndoable, version, isTypeRemoved } satisfies LoadRemains
  }
  try {
    const result = await importFiles(endpoints, {
      ...importOptions,
      dryRun: false,
      beforeBatch: async (objects) => {
        if (hasJournal()) await recordChanges(objects)
      },
      onRejected: (rejection) => {
        rejected += 1
        if (rejected <= MAX_REJECTIONS) rejections.push(rejection)
      },
      onProgress: async (rows, { objects, put, kept }) => {
        if (isDue()) reportCounts({ rows, sent: objects, put, kept })
      },
      onIndexing: () => report({ kind: 'indexing' }),
    })
    reportCounts({ ...result, sent: result.objects })
    report({ kind: 'loaded', remains: await remainsOf(result) })
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error
    const { result } = error
    reportCounts({ ...result, sent: result.objects })
    report({
      kind: 'stopped',
      reason: signal.aborted ? undefined : error.message,
      isUncertain: result.isUncertain,
      remains: await remainsOf(result),
    })
  }
  // The signal may have stopped the load; taking it back needs retries again.
  const { signal: endless } = new AbortController()
  const { administration, objectSets } = openEndpoints(spec, { ...options, signal: endless })
  const readNow = storedObjects(objectSets, ontology, objectType)
  return hasJournal()
    ? () => undoChanges(administration, typePath, journal.entries, readNow)
    : undefined
}

/** Compares every row of a file with the objects of the service, and writes nothing. */
export async function compareFile(spec: LoadSpec, options: WorkOptions): Promise<void> {
  const { endpoints, importOptions, recordChanges, journal, isDue } = await openLoad(spec, options)
  const { rows, rejected } = await importFiles(endpoints, {
    ...importOptions,
    dryRun: true,
    openSink: (reject) => comparisonSink(recordChanges, reject),
    onRejected: () => {},
    onProgress: async (read) => {
      if (isDue()) options.report({ kind: 'comparing', rows: read })
    },
    onIndexing: () => {},
  })
  const { counts, isExact, isFull } = journal
  const comparison = { ...counts, rows, rejected, isExact, isUndoable: !isFull }
  options.report({ kind: 'compared', comparison })
}
