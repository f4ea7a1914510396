import { rowReader } from '../../transfer/columns/row-to-object.ts'
import { ChangeJournal } from '../../transfer/compare/change-journal.ts'
import { ChangeRecorder } from '../../transfer/compare/change-recorder.ts'
import { storedObjects } from '../../transfer/compare/stored-objects.ts'
import type { LoadSpec } from './messages.ts'
import { numberRows } from './number-rows.ts'
import { openFile } from './open-file.ts'
import { parsedType } from './parsed-type.ts'
import { openEndpoints, reportPace, type WorkOptions } from './work-options.ts'

/** Opens the file of a load, and what records which objects its rows change. */
export async function openLoad(spec: LoadSpec, options: WorkOptions) {
  const { file, ontology, mode } = spec
  const endpoints = openEndpoints(spec, options)
  const objectType = parsedType(spec.objectType)
  const columns = await numberRows(spec, endpoints)
  const { source, bytesRead } = await openFile(file)
  const journal = new ChangeJournal()
  const readStored = storedObjects(endpoints.objectSets, ontology, objectType)
  async function* files() {
    yield { name: file.name, source }
  }
  return {
    endpoints,
    objectType,
    bytesRead,
    isDue: reportPace(),
    journal,
    recorder: new ChangeRecorder(objectType, { journal, readStored, mode }),
    /** What an import and a comparison have in common. */
    importOptions: {
      ontology,
      objectType: objectType.apiName,
      files: files(),
      readRow: rowReader(objectType, columns),
      mode,
      // All mistakes of a file are of interest.
      maxErrors: Number.POSITIVE_INFINITY,
      isFinite: true,
      signal: options.signal,
    },
  }
}
