import { Endpoints } from '../../client/endpoints/endpoints.ts'
import { rowReader } from '../../transfer/columns/row-to-object.ts'
import { ChangeJournal } from '../../transfer/compare/change-journal.ts'
import { changeRecorder } from '../../transfer/compare/change-recorder.ts'
import { storedObjects } from '../../transfer/compare/stored-objects.ts'
import { parsedType } from './apply-type.ts'
import type { LoadSpec, Report } from './messages.ts'
import { openFile } from './open-file.ts'

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
    recordChanges: changeRecorder(objectType, { journal, readStored, mode }),
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

/** Returns how rows are read; those without a key are numbered after the last object. */
async function numberRows(
  { ontology, objectType, columns, isNumbered }: LoadSpec,
  { revision1 }: Endpoints,
): Promise<LoadSpec['columns']> {
  if (!isNumbered) return columns
  const { apiName, primaryKey } = objectType
  const { data } = await revision1.listObjects(
    { ontology, objectType: apiName },
    { pageSize: 1, orderBy: `properties.${primaryKey}:desc` },
  )
  const rowsBefore = Math.max(0, Number(data[0]?.properties[primaryKey] ?? 0))
  return { ...columns, rowNumber: primaryKey, rowsBefore }
}

/** What the worker gives to each of its tasks. */
export interface WorkOptions {
  readonly readToken: () => Promise<string>
  /** Ends the task early. */
  readonly signal: AbortSignal
  readonly report: (message: Report) => void
}

const REPORT_EVERY_MS = 100

/** Returns a function that tells whether it is time for the next report of progress. */
export function reportPace(): () => boolean {
  let last = performance.now()
  return () => {
    const now = performance.now()
    if (now - last < REPORT_EVERY_MS) return false
    last = now
    return true
  }
}

/** Opens the endpoints. After a stop, requests in progress finish, so that their outcome is known. */
export function openEndpoints({ baseUrl }: LoadSpec, { readToken, signal }: WorkOptions) {
  return new Endpoints({ baseUrl, token: readToken, retrySignal: signal })
}
