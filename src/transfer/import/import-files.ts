/** Reads files and writes their rows as objects of one type. */

import type { BatchResult } from '../../client/endpoints/administration.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { isRetryable } from '../../client/retry.ts'
import { RemediableError } from '../../formats/remedy.ts'
import { type Row, type RowSource, valueText } from '../../formats/row.ts'
import { isRejected, type RowReader } from '../columns/row-to-object.ts'
import { type SampleProof, SampleRefuted } from '../infer/sample.ts'
import type { Rejection } from './batch.ts'
import {
  batchSender,
  NOTHING_SENT,
  type ObjectSink,
  type SenderOptions,
  type SentCounts,
} from './batch-sender.ts'
import { type BulkLoad, bulkLoad, type LoadEndpoints } from './bulk-load.ts'
import type { ImportCursor } from './import-cursor.ts'
import type { RepeatedKeys } from './repeated-keys.ts'

/** An open file and its rows. */
interface ImportedFile {
  readonly name: string
  readonly source: RowSource
}

/** What happens to objects that exist: all values are replaced, nothing, or those of the row. */
export type ImportMode = 'upsert' | 'append' | 'replace' | 'merge'

export interface ImportRequest extends TypePath {
  /** Opened one after the other. */
  readonly files: AsyncIterable<ImportedFile>
  readonly readRow: RowReader
  readonly mode: ImportMode
  /** Reads and checks everything, but writes nothing. */
  readonly dryRun: boolean
  /** Receives the objects instead of the service; it may call `reject`. */
  readonly openSink?: ((reject: (rejection: Rejection) => void) => ObjectSink) | undefined
  /** Called with the objects of each batch before it is sent, and awaited. */
  readonly beforeBatch?: SenderOptions['beforeBatch']
  /** Recognises rows with the key of an earlier row; undefined if the last such row is written. */
  readonly repeatedKeys?: RepeatedKeys | undefined
  /** Proves the sample that the type was inferred from; the import stops with `SampleRefuted`. */
  readonly proof?: SampleProof | undefined
  /** Whether nothing is kept if the import stops early or every row is rejected, if possible. */
  readonly isAllOrNothing?: boolean | undefined
  /** Where an earlier run of the same import stopped. */
  readonly from?: ImportCursor | undefined
  /** Receives the cursor from which this import can be continued; called after every few rows. */
  readonly onCursor?: ((cursor: ImportCursor) => Promise<void>) | undefined
  /** The maximum number of rejected rows; one more stops the import. */
  readonly maxErrors: number
  /** Whether the input ends by itself; objects of a pipe must not wait for its end. */
  readonly isFinite: boolean
  /** Stops reading; pending batches are still written. */
  readonly signal: AbortSignal
  readonly onRejected: (refusal: Rejection) => void
  /**
   * Called after every few rows, and awaited. `isLoading` is true if the service builds indexes at
   * the end.
   */
  readonly onProgress: (
    rows: number,
    sent: Readonly<SentCounts>,
    isLoading: boolean,
  ) => Promise<void>
  /** Called when all rows are read and the last batches are written. `sent` keeps counting. */
  readonly onWriting?: (rows: number, sent: Readonly<SentCounts>) => void
  /** Called when all rows are written and the service builds the indexes. */
  readonly onIndexing: (objects: number) => void
}

export interface ImportResult extends Readonly<SentCounts> {
  /** The number of rows read. */
  readonly rows: number
  readonly rejected: number
  /** With `replace`, the number of objects that were deleted. */
  readonly replaced: number | undefined
  /** Whether the outcome of the last request is unknown. */
  readonly isUncertain: boolean
}

/** An import that ended early; the batches committed until then are kept. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
  readonly result: ImportResult
  /** From where the import can be continued; undefined if it must start again. */
  readonly cursor: ImportCursor | undefined

  constructor(
    message: string,
    { result, cursor, cause }: Pick<ImportStopped, 'result' | 'cursor' | 'cause'>,
  ) {
    super(message, { cause })
    this.result = result
    this.cursor = cursor
  }
}

export class TooManyRejected extends RemediableError {
  override readonly name = 'TooManyRejected'
}

export async function importFiles(
  endpoints: LoadEndpoints,
  request: ImportRequest,
): Promise<ImportResult> {
  const { administration } = endpoints
  const { mode, dryRun, from } = request
  const load = bulkLoad(endpoints, request, mode === 'merge' ? 'upsert' : mode, from?.replacement)
  if (mode === 'replace' && !dryRun) await load.start()
  const isLoading = () => load.replacement !== undefined
  const canLoad = mode !== 'replace' && mode !== 'merge' && !dryRun && request.isFinite
  const counts = { rows: 0, rejected: 0 }
  const reject = (rejection: Rejection) => {
    counts.rejected += 1
    if (request.proof && (rejection.row !== undefined || counts.rejected > MAX_UNREADABLE)) {
      throw new SampleRefuted('a row was rejected')
    }
    request.onRejected(rejection)
    if (counts.rejected > request.maxErrors) throw tooManyRejected(request.maxErrors)
  }
  const options = {
    mode: mode === 'append' || mode === 'merge' ? mode : undefined,
    dryRun: dryRun || undefined,
    replacement: load.replacement,
    skip: from?.objects ?? 0,
    beforeBatch: request.beforeBatch,
    startLoad: async () => {
      const replacement = canLoad ? await load.startIfEmpty() : undefined
      if (request.proof && !isLoading()) throw new SampleRefuted('everybody would see the objects')
      return replacement
    },
  }
  const sender: ObjectSink =
    request.openSink?.(reject) ?? batchSender(administration, request, options, reject)
  const cursor = (): ImportCursor => {
    const { settled: objects, version } = sender.sent
    return { objects, replacement: load.replacement, version }
  }
  let isPublishing = false
  try {
    const onRows = async () => {
      await request.onProgress(counts.rows, sender.sent, isLoading())
      await request.onCursor?.(cursor())
    }
    for await (const file of request.files) {
      await readFile(file, { ...request, onRows, reject }, sender, counts)
    }
    request.signal.throwIfAborted()
    request.proof?.end()
    request.onWriting?.(counts.rows - counts.rejected, sender.sent)
    await sender.finish()
    if (mode === 'replace' && sender.sent.objects + options.skip === 0) {
      throw new Error(NOTHING_TO_REPLACE_WITH)
    }
    if (request.isAllOrNothing && counts.rejected > 0 && counts.rejected === counts.rows) {
      throw new Error('every row was rejected')
    }
    const result = { ...sender.sent, ...counts, replaced: undefined, isUncertain: false }
    isPublishing = isLoading()
    if (!isPublishing) return result
    request.onIndexing(result.objects + options.skip)
    const published = await load.publish()
    if (mode !== 'replace') return { ...result, ...loadedCounts(sender.sent, published) }
    const { version, put, deleted: replaced } = published
    return { ...result, put, version, replaced }
  } catch (caught) {
    // What is wrong with the data is found by an inference from all rows, if it is wrong.
    const isDoubted = request.proof !== undefined && caught instanceof RemediableError
    const error = isDoubted ? new SampleRefuted(caught.message) : caught
    await sender.settle()
    const stop = async (): Promise<Stop> => {
      // Nobody answers. What was sent stays, so that another run can continue.
      if (isRetryable(error)) {
        const sent = isLoading() ? NOTHING_SENT : sender.sent
        return { sent, isUncertain: isPublishing, cursor: cursor() }
      }
      if (!isLoading()) return { sent: sender.sent, isUncertain: false, cursor: cursor() }
      if (mode !== 'replace' && request.isAllOrNothing !== true) {
        return publishSent(load, sender.sent, cursor())
      }
      return load.abandon().then(
        () => ({ sent: NOTHING_SENT, isUncertain: false }),
        // A replacement that cannot be abandoned now expires.
        () => ({ sent: NOTHING_SENT, isUncertain: true, cursor: cursor() }),
      )
    }
    const { sent, isUncertain, cursor: stoppedAt } = await stop()
    const result = { ...sent, ...counts, replaced: undefined, isUncertain }
    throw new ImportStopped((error as Error).message, { result, cursor: stoppedAt, cause: error })
  }
}

interface Stop {
  readonly sent: Readonly<SentCounts>
  readonly isUncertain: boolean
  readonly cursor?: ImportCursor
}

/** Makes the objects visible that were sent before an import stopped. */
async function publishSent(
  load: BulkLoad,
  before: Readonly<SentCounts>,
  cursor: ImportCursor,
): Promise<Stop> {
  try {
    const sent = loadedCounts(before, await load.publish())
    const { settled: objects, version } = sent
    return { sent, isUncertain: false, cursor: { objects, version } }
  } catch {
    return { sent: NOTHING_SENT, isUncertain: true, cursor }
  }
}

/** Adds to the counts of the batches how many objects existed when they became visible. */
function loadedCounts(
  sent: Readonly<SentCounts>,
  { version, kept = 0 }: BatchResult,
): Readonly<SentCounts> {
  return { ...sent, version, put: sent.put - kept, kept: sent.kept + kept }
}

/** Unreadable rows that a load from a sample accepts: a caller may keep them until it is proven. */
const MAX_UNREADABLE = 10_000

const NOTHING_TO_REPLACE_WITH =
  'the files have no rows, and to replace all objects with nothing would delete them'

async function readFile(
  { name, source }: ImportedFile,
  {
    readRow,
    repeatedKeys,
    proof,
    signal,
    onRows,
    reject,
  }: Pick<ImportRequest, 'readRow' | 'repeatedKeys' | 'proof' | 'signal'> & {
    readonly onRows: () => Promise<void>
    readonly reject: (rejection: Rejection) => void
  },
  sender: ObjectSink,
  counts: { rows: number },
): Promise<void> {
  proof?.startFile(name)
  for await (const rows of source.rows) {
    signal.throwIfAborted()
    proof?.add(rows, source.kind, source.types)
    for (const row of rows) {
      counts.rows += 1
      const { line } = row
      const read = readRow(row, source.kind)
      const object = isRejected(read) || !repeatedKeys ? read : repeatedKeys.take(read)
      if (object === undefined) continue
      if (!isRejected(object)) sender.add(object.json, object.key, name, line)
      else {
        const { property, column = property, excerpt, reason, remedy } = object
        const cells = 'cells' in row ? textOfCells(row.cells) : undefined
        reject({ file: name, line, property, column, excerpt, reason, remedy, row: cells })
      }
      if (sender.isFull) await sender.send()
    }
    await onRows()
  }
}

/** Returns undefined for cells that have no JSON text. */
function textOfCells(cells: Row['cells']): string | undefined {
  try {
    return valueText(cells)
  } catch {
    return undefined
  }
}

function tooManyRejected(maxErrors: number): TooManyRejected {
  return new TooManyRejected(
    maxErrors === 0 ? 'a row was rejected' : `more than ${maxErrors} rows were rejected`,
    { remedy: { do: 'allowRejections' } },
  )
}
