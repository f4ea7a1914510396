/** Reads files and sends their objects, in a worker, so that the page stays responsive. */
import { Connection } from '../../client/connection.ts'
import { Administration } from '../../client/endpoints/administration.ts'
import { Revision1 } from '../../client/endpoints/revision-1.ts'
import { PROPERTIES_MAX } from '../../contract/limits.ts'
import { isUnreadable, type Row } from '../../formats/row.ts'
import type { Rejection } from '../../transfer/import/batch-sender.ts'
import { ImportStopped, importFiles } from '../../transfer/import/import-files.ts'
import { rowReader } from '../../transfer/import/row-to-object.ts'
import { typeNameOf } from '../../transfer/infer/definition.ts'
import { inferrer } from '../../transfer/infer/inferrer.ts'
import type { Command, FileReport, LoadCounts, LoadSpec, Report } from './messages.ts'
import { openFile } from './open-file.ts'
import { parsedType } from './parsed-type.ts'

const SAMPLE_ROWS = 200
const REPORT_EVERY_MS = 100
/** Rejected rows that are passed on; further ones are only counted. */
const MAX_REJECTIONS = 1000

type ReadToken = () => Promise<string>

listen(new AbortController())

function listen(stop: AbortController): void {
  const { signal } = stop
  const waiting: ((token: string) => void)[] = []
  const readToken = () =>
    new Promise<string>((resolve) => {
      waiting.push(resolve)
      report({ kind: 'tokenNeeded' })
    })
  const run = (work: Promise<void>) =>
    work.catch((error: Error) => report({ kind: 'failed', reason: error.message }))
  addEventListener('message', ({ data }: MessageEvent<Command>) => {
    if (data.kind === 'stop') stop.abort()
    else if (data.kind === 'token') waiting.shift()?.(data.token)
    else if (data.kind === 'read') void run(readFile(data.file, signal))
    else void run(loadFile(data.spec, readToken, signal))
  })
}

function report(message: Report): void {
  postMessage(message)
}

/** Returns whether it is time for the next report of progress. */
function reportPace(): () => boolean {
  let last = performance.now()
  return () => {
    const now = performance.now()
    if (now - last < REPORT_EVERY_MS) return false
    last = now
    return true
  }
}

async function readFile(file: File, signal: AbortSignal): Promise<void> {
  const { format, source, bytesRead } = await openFile(file)
  const isDue = reportPace()
  const infer = inferrer()
  const columns = new Set<string>()
  const sample: Row[] = []
  let rows = 0
  for await (const some of source.rows) {
    if (signal.aborted) break
    infer.add(some, source.kind, source.types)
    rows += some.length
    for (const row of some) {
      if (isUnreadable(row)) continue
      for (const name of Object.keys(row.cells)) {
        if (columns.size < PROPERTIES_MAX) columns.add(name)
      }
      if (sample.length < SAMPLE_ROWS) sample.push(row)
    }
    if (isDue()) report({ kind: 'reading', rows, bytesRead: bytesRead() })
  }
  if (sample.length === 0) throw new Error(describeNoRows(rows))
  const result: FileReport = {
    format,
    kind: source.kind,
    inferred: infer.finish(typeNameOf(file.name)),
    columns: [...columns],
    sample,
    rows,
    isWhole: !signal.aborted,
  }
  report({ kind: 'read', report: result })
}

function describeNoRows(unreadable: number): string {
  return unreadable === 0
    ? 'The file has no rows.'
    : `None of the ${unreadable} rows can be read. Check that the name of the file says what it holds.`
}

async function loadFile(spec: LoadSpec, readToken: ReadToken, signal: AbortSignal): Promise<void> {
  const { file, baseUrl, ontology, objectType, columns, mode } = spec
  const { source, bytesRead } = await openFile(file)
  const isDue = reportPace()
  // After a stop, requests in progress finish, so that the number of stored objects is known.
  const connection = new Connection({ baseUrl, token: readToken, retrySignal: signal })
  let rejected = 0
  let rejections: Rejection[] = []
  const reportCounts = (counts: Omit<LoadCounts, 'rejected' | 'bytesRead'>) => {
    report({ kind: 'loading', counts: { ...counts, rejected, bytesRead: bytesRead() }, rejections })
    rejections = []
  }
  async function* files() {
    yield { name: file.name, source }
  }
  try {
    const result = await importFiles(
      { administration: new Administration(connection), revision1: new Revision1(connection) },
      {
        ontology,
        objectType: objectType.apiName,
        files: files(),
        readRow: rowReader(parsedType(objectType), columns),
        mode,
        dryRun: false,
        maxErrors: Number.POSITIVE_INFINITY,
        isFinite: true,
        signal,
        onRejected: (rejection) => {
          rejected += 1
          if (rejected <= MAX_REJECTIONS) rejections.push(rejection)
        },
        onProgress: async (rows, { objects, put, kept }) => {
          if (isDue()) reportCounts({ rows, sent: objects, put, kept })
        },
        onIndexing: () => report({ kind: 'indexing' }),
      },
    )
    reportCounts({ ...result, sent: result.objects })
    report({ kind: 'loaded' })
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error
    reportCounts({ ...error.result, sent: error.result.objects })
    const { isUncertain } = error.result
    report({ kind: 'stopped', reason: signal.aborted ? undefined : error.message, isUncertain })
  }
}
