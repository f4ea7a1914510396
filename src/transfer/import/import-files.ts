import type { ServiceClient, TypePath } from '../../client/service-client.ts'
import { type Row, type RowSource, valueText } from '../../formats/row.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { BatchSender, type ObjectSink, type Refusal, type Sent } from './batch-sender.ts'
import { localCheck } from './local-check.ts'
import { isRefused, type RowReader } from './row-to-object.ts'

/** Reads files and writes their rows as objects of one type. */

/** A file whose rows are being read. */
export interface ImportedFile {
  readonly name: string
  readonly source: RowSource
}

export type ImportMode = 'upsert' | 'append' | 'replace'

export interface ImportRequest extends TypePath {
  /** Opened one after the other, each when its turn comes. */
  readonly files: AsyncIterable<ImportedFile>
  readonly readRow: RowReader
  readonly mode: ImportMode
  /** Everything is read and checked, nothing written. */
  readonly dryRun: boolean
  /** A type that the service does not have: objects are only checked, and here. */
  readonly checkedAs: ObjectType | undefined
  /** So many rows may be refused before it all ends. */
  readonly maxErrors: number
  /** Stops reading; what is under way is still written. */
  readonly signal: AbortSignal
  readonly onRefused: (refusal: Refusal) => void
  /** After every few rows; what it does is waited for. */
  readonly onProgress: (rows: number) => Promise<void>
}

export interface ImportResult extends Readonly<Sent> {
  /** Rows read. */
  readonly rows: number
  readonly refused: number
  /** Objects that were there before, of which none is left: with `replace`. */
  readonly replaced: number | undefined
  /** Whether it is not known what became of the last request. */
  readonly isUncertain: boolean
}

/** It ended before the end; what was committed until then is kept. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
  readonly result: ImportResult

  constructor(message: string, result: ImportResult, options?: ErrorOptions) {
    super(message, options)
    this.result = result
  }
}

export class TooManyRefused extends Error {
  override readonly name = 'TooManyRefused'
}

export async function importFiles(
  client: ServiceClient,
  request: ImportRequest,
): Promise<ImportResult> {
  const { mode, dryRun } = request
  const replacement =
    mode === 'replace' && !dryRun ? await client.startReplacement(request) : undefined
  const counts = { rows: 0, refused: 0 }
  const refuse = (refusal: Refusal) => {
    counts.refused += 1
    request.onRefused(refusal)
    if (counts.refused > request.maxErrors) throw tooMany(request.maxErrors)
  }
  const query = {
    mode: mode === 'append' ? mode : undefined,
    dryRun: dryRun || undefined,
    replacement,
  }
  const sender: ObjectSink =
    request.checkedAs === undefined
      ? new BatchSender(client, request, query, refuse)
      : localCheck(request.checkedAs, refuse)
  try {
    for await (const file of request.files) await readFile(file, request, sender, refuse, counts)
    request.signal.throwIfAborted()
    await sender.finish()
    if (mode === 'replace' && sender.sent.objects === 0) throw new Error(NOTHING_TO_REPLACE_WITH)
    const result = { ...sender.sent, ...counts, replaced: undefined, isUncertain: false }
    if (replacement === undefined) return result
    const { version, put, deleted } = await client.publishReplacement(request, replacement)
    return { ...result, put, version, replaced: deleted }
  } catch (error) {
    await sender.settle()
    // One that a lost service leaves over is given up by that service, after a while.
    const isOff = replacement === undefined || (await giveUp(client, request, replacement))
    const sent = replacement === undefined ? sender.sent : NOTHING_SENT
    const result = { ...sent, ...counts, replaced: undefined, isUncertain: !isOff }
    throw new ImportStopped((error as Error).message, result, { cause: error })
  }
}

const NOTHING_TO_REPLACE_WITH = 'there are no rows, and a type is not emptied by accident'

async function giveUp(
  client: ServiceClient,
  type: TypePath,
  replacement: string,
): Promise<boolean> {
  return client.abandonReplacement(type, replacement).then(
    () => true,
    () => false,
  )
}

const NOTHING_SENT: Sent = { batches: 0, objects: 0, put: 0, kept: 0, version: 0 }

async function readFile(
  { name, source }: ImportedFile,
  { readRow, signal, onProgress }: ImportRequest,
  sender: ObjectSink,
  refuse: (refusal: Refusal) => void,
  counts: { rows: number },
): Promise<void> {
  for await (const rows of source.rows) {
    signal.throwIfAborted()
    for (const row of rows) {
      counts.rows += 1
      const { line } = row
      const object = readRow(row, source.kind)
      if (!isRefused(object)) sender.add({ ...object, file: name, line })
      else {
        const { property, column = property, excerpt, reason } = object
        const cells = 'cells' in row ? textOfCells(row.cells) : undefined
        refuse({ file: name, line, property: column, excerpt, reason, row: cells })
      }
      if (sender.isFull) await sender.send()
    }
    await onProgress(counts.rows)
  }
}

/** Undefined for cells that cannot be written down. */
function textOfCells(cells: Row['cells']): string | undefined {
  try {
    return valueText(cells)
  } catch {
    return undefined
  }
}

function tooMany(maxErrors: number): TooManyRefused {
  return new TooManyRefused(
    maxErrors === 0
      ? 'a row does not fit; --max-errors N goes on past N of them'
      : `more than ${maxErrors} rows do not fit, the most that --max-errors allows`,
  )
}
