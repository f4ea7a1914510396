import { rowReader } from '../../transfer/columns/row-to-object.ts'
import { ChangeJournal } from '../../transfer/compare/change-journal.ts'
import { ChangeRecorder, comparison } from '../../transfer/compare/change-recorder.ts'
import { storedObjects } from '../../transfer/compare/stored-objects.ts'
import { importFiles } from '../../transfer/import/import-files.ts'
import type { LoadSpec } from './messages.ts'
import { numberRows } from './number-rows.ts'
import { openFile } from './open-file.ts'
import { parsedType } from './parsed-type.ts'
import { openEndpoints, reportPace, type WorkOptions } from './work-options.ts'

/** Compares every row of a file with the objects of the service, and writes nothing. */
export async function compareFile(spec: LoadSpec, options: WorkOptions): Promise<void> {
  const { file, ontology, mode } = spec
  const { report, signal } = options
  const endpoints = openEndpoints(spec, options)
  const objectType = parsedType(spec.objectType)
  const columns = await numberRows(spec, endpoints)
  const { source, bytesRead } = await openFile(file)
  const isDue = reportPace()
  const journal = new ChangeJournal()
  const readStored = storedObjects(endpoints.objectSets, ontology, objectType)
  const recorder = new ChangeRecorder(objectType, { journal, readStored, mode })
  async function* files() {
    yield { name: file.name, source }
  }
  const { rows, rejected } = await importFiles(endpoints, {
    ontology,
    objectType: objectType.apiName,
    files: files(),
    readRow: rowReader(objectType, columns),
    mode,
    dryRun: true,
    openSink: (reject) => comparison(recorder, reject),
    maxErrors: Number.POSITIVE_INFINITY,
    isFinite: true,
    signal,
    onRejected: () => {},
    onProgress: async (read) => {
      if (isDue()) report({ kind: 'comparing', rows: read, bytesRead: bytesRead() })
    },
    onIndexing: () => {},
  })
  const { counts, isExact, isFull } = journal
  report({
    kind: 'compared',
    comparison: { ...counts, rows, rejected, isExact, isUndoable: !isFull },
  })
}
