import { comparison } from '../../transfer/compare/change-recorder.ts'
import { importFiles } from '../../transfer/import/import-files.ts'
import type { LoadSpec } from './messages.ts'
import { openLoad } from './open-load.ts'
import type { WorkOptions } from './work-options.ts'

/** Compares every row of a file with the objects of the service, and writes nothing. */
export async function compareFile(spec: LoadSpec, options: WorkOptions): Promise<void> {
  const { report } = options
  const { endpoints, importOptions, recorder, journal, bytesRead, isDue } = await openLoad(
    spec,
    options,
  )
  const { rows, rejected } = await importFiles(endpoints, {
    ...importOptions,
    dryRun: true,
    openSink: (reject) => comparison(recorder, reject),
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
