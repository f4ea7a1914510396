/** Reads files and sends their objects, in a worker, so that the page stays responsive. */
import { Endpoints } from '../../client/endpoints/endpoints.ts'
import { PROPERTIES_MAX } from '../../contract/limits.ts'
import { columnsOf, isUnreadable, type Row, type UnreadableRow } from '../../formats/row.ts'
import { rowReader } from '../../transfer/columns/row-to-object.ts'
import { ChangeJournal } from '../../transfer/compare/change-journal.ts'
import {
  changeRecorder,
  comparison as comparisonSink,
} from '../../transfer/compare/change-recorder.ts'
import {
  storedObjects,
  type UndoResult,
  undoChanges,
} from '../../transfer/compare/stored-objects.ts'
import type { Rejection } from '../../transfer/import/batch.ts'
import { removeType } from '../../transfer/import/change-definition.ts'
import {
  type ImportResult,
  ImportStopped,
  importFiles,
} from '../../transfer/import/import-files.ts'
import { typeNameOf } from '../../transfer/infer/definition.ts'
import { inferrer } from '../../transfer/infer/inferrer.ts'
import { sessionFetch } from '../api/session-fetch.ts'
import { parsedType } from './apply-type.ts'
import type { Command, LoadCounts, LoadRemains, LoadSpec, Report } from './messages.ts'
import { openFile } from './open-file.ts'

listen(new AbortController())

function listen(stop: AbortController): void {
  const { signal } = stop
  let undo: (() => Promise<UndoResult>) | undefined
  const run = (work: Promise<void>) =>
    work.catch((error: Error) => report({ kind: 'failed', reason: error.message }))
  const load = async (spec: Parameters<typeof loadFile>[0]) => {
    undo = await loadFile(spec, signal)
  }
  const takeBack = async () => {
    if (undo !== undefined) report({ kind: 'undone', result: await undo() })
  }
  addEventListener('message', ({ data }: MessageEvent<Command>) => {
    if (data.kind === 'stop') stop.abort()
    else if (data.kind === 'read') void run(readFile(data.file, signal))
    else if (data.kind === 'compare') void run(compareFile(data.spec, signal))
    else if (data.kind === 'load') void run(load(data.spec))
    else void run(takeBack())
  })
}

function report(message: Report): void {
  postMessage(message)
}

/** Rejected rows that are passed on; further ones are only counted. */
const MAX_REJECTIONS = 1000

/** Sends the objects of a file; returns the function that takes them back, if there is one. */
async function loadFile(
  spec: LoadSpec,
  signal: AbortSignal,
): Promise<(() => Promise<UndoResult>) | undefined> {
  const { ontology, created } = spec
  const opened = await openLoad(spec, signal)
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
  const { administration, objectSets } = openEndpoints(spec, endless)
  const readNow = storedObjects(objectSets, ontology, objectType)
  return hasJournal()
    ? () => undoChanges(administration, typePath, journal.entries, readNow)
    : undefined
}

/** Compares every row of a file with the objects of the service, and writes nothing. */
async function compareFile(spec: LoadSpec, signal: AbortSignal): Promise<void> {
  const { endpoints, importOptions, recordChanges, journal, isDue } = await openLoad(spec, signal)
  const { rows, rejected } = await importFiles(endpoints, {
    ...importOptions,
    dryRun: true,
    openSink: (reject) => comparisonSink(recordChanges, reject),
    onRejected: () => {},
    onProgress: async (read) => {
      if (isDue()) report({ kind: 'comparing', rows: read })
    },
    onIndexing: () => {},
  })
  const { counts, isExact, isFull } = journal
  const comparison = { ...counts, rows, rejected, isExact, isUndoable: !isFull }
  report({ kind: 'compared', comparison })
}

/** Opens the file of a load, and what records which objects its rows change. */
async function openLoad(spec: LoadSpec, signal: AbortSignal) {
  const { file, ontology, mode } = spec
  const endpoints = openEndpoints(spec, signal)
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
      signal,
    },
  }
}

/** Returns how rows are read; those without a key are numbered after the last object. */
async function numberRows(
  { ontology, objectType, columns, mode, isNumbered }: LoadSpec,
  { objectSets }: Endpoints,
): Promise<LoadSpec['columns']> {
  if (!isNumbered) return mode === 'merge' ? { ...columns, writesNulls: true } : columns
  const { apiName, primaryKey } = objectType
  const { data } = await objectSets.searchObjects(
    { ontology, objectType: apiName },
    {
      orderBy: { fields: [{ field: primaryKey, direction: 'desc' }] },
      select: [primaryKey],
      selectV2: [],
      pageSize: 1,
    },
  )
  const rowsBefore = Math.max(0, Number(data[0]?.__primaryKey ?? 0))
  return { ...columns, rowNumber: primaryKey, rowsBefore }
}

const REPORT_EVERY_MS = 100

/** Returns a function that tells whether it is time for the next report of progress. */
function reportPace(): () => boolean {
  let last = performance.now()
  return () => {
    const now = performance.now()
    if (now - last < REPORT_EVERY_MS) return false
    last = now
    return true
  }
}

/** Opens the endpoints. After a stop, requests in progress finish, so that their outcome is known. */
function openEndpoints({ baseUrl }: LoadSpec, signal: AbortSignal) {
  return new Endpoints({ baseUrl, fetch: sessionFetch, retrySignal: signal })
}

const SAMPLE_ROWS = 200

/** Reads a file once, and infers a type from its rows. */
async function readFile(file: File, signal: AbortSignal): Promise<void> {
  const { format, source, bytesRead } = await openFile(file)
  const isDue = reportPace()
  const infer = inferrer()
  const columns = new Set<string>()
  const sample: Row[] = []
  let firstUnreadable: UnreadableRow | undefined
  let rows = 0
  for await (const some of source.rows) {
    if (signal.aborted) break
    infer.add(some, source.kind, source.types)
    rows += some.length
    for (const row of some) {
      if (isUnreadable(row)) {
        firstUnreadable ??= row
        continue
      }
      for (const name of columnsOf(row)) {
        if (columns.size < PROPERTIES_MAX) columns.add(name)
      }
      // A message has no getters.
      if (sample.length < SAMPLE_ROWS) sample.push({ ...row, cells: row.cells })
    }
    if (isDue()) report({ kind: 'reading', rows, bytesRead: bytesRead() })
  }
  if (sample.length === 0) throw new Error(describeNoRows(firstUnreadable))
  const inferred = infer.finish(typeNameOf(file.name))
  const read = { format, kind: source.kind, inferred, columns: [...columns] }
  report({ kind: 'read', report: { ...read, sample, rows, isWhole: !signal.aborted } })
}

function describeNoRows(first: UnreadableRow | undefined): string {
  if (first === undefined) return 'The file has no rows.'
  const advice =
    first.remedy?.do === 'nameEncoding'
      ? 'Save the file as UTF-8, or load it with oqs import --encoding.'
      : 'Check that the name of the file says what it holds.'
  return `No row can be read: line ${first.line} ${first.reason}. ${advice}`
}
