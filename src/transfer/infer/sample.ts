/**
 * Infers the type of a large input from a sample, and proves it while all rows are loaded. Rows are
 * then read once and not twice, and the result is the same: a load whose rows show something else is
 * abandoned, and its type is inferred from all rows.
 */
import type { CellKind, DeclaredType, ReadRow, RowSource } from '../../formats/row.ts'
import type { ColumnOptions } from '../columns/column-plan.ts'
import type { InferredType } from './infer-type.ts'
import { type Inferrer, inferrer } from './inferrer.ts'

/** The rows of a sample, in equal parts from all files. */
const SAMPLE_ROWS = 20_000
/** The rows of a file in a sample of many files. */
const LEAST_ROWS = 1000

interface InferenceOptions {
  readonly apiName: string
  readonly displayName?: string | undefined
  readonly columns?: ColumnOptions | undefined
  readonly signal: AbortSignal
  readonly onProgress?: (rows: number) => void
}

export interface Inference {
  readonly inferred: InferredType
  /** The number of rows read of each file if there are more; undefined if all rows were read. */
  readonly sampledRows: readonly number[] | undefined
}

/** Returns how many rows of each of several files are a sample. */
export function sampleRowsOf(files: number): number {
  return Math.max(LEAST_ROWS, Math.ceil(SAMPLE_ROWS / files))
}

/** Infers a type from the first rows of each file; from all of them by default. */
export async function inferRows(
  files: AsyncIterable<{ readonly name: string; readonly source: RowSource }>,
  { apiName, displayName, columns, signal, onProgress }: InferenceOptions,
  rowsPerFile = Number.POSITIVE_INFINITY,
): Promise<Inference> {
  const inference = inferrer(columns)
  const read: number[] = []
  let rows = 0
  let isSample = false
  for await (const { name, source } of files) {
    inference.startFile(name)
    let rowsOfFile = 0
    for await (const some of source.rows) {
      signal.throwIfAborted()
      const taken = some.slice(0, rowsPerFile - rowsOfFile)
      inference.add(taken, source.kind, source.types)
      rowsOfFile += taken.length
      onProgress?.(rows + rowsOfFile)
      isSample ||= taken.length < some.length
      if (taken.length < some.length) break
    }
    rows += rowsOfFile
    read.push(rowsOfFile)
    signal.throwIfAborted()
  }
  const inferred = inference.finish(apiName, displayName)
  return { inferred, sampledRows: isSample ? read : undefined }
}

/** The rows after a sample show something else than the sample. */
export class SampleRefuted extends Error {
  override readonly name = 'SampleRefuted'
}

/** What was inferred from a sample. */
export interface Sample {
  readonly inferred: InferredType
  /** The number of rows read of each file. */
  readonly sampledRows: readonly number[]
}

/** Infers the type again from all rows as they are loaded. */
export class SampleProof {
  readonly #sampledRows: readonly number[]
  readonly #expected: string
  readonly #options: Pick<InferenceOptions, 'apiName' | 'displayName'>
  readonly #inference: Inferrer
  #file = -1
  #rowsOfFile = 0
  #nextCheck = 0

  constructor(
    { inferred, sampledRows }: Sample,
    { apiName, displayName, columns }: Omit<InferenceOptions, 'signal'>,
  ) {
    this.#sampledRows = sampledRows
    this.#expected = textOf(inferred)
    this.#options = { apiName, displayName }
    // A column that loses this key refutes the sample.
    this.#inference = inferrer(columns, { hasKey: inferred.columns.rowNumber === undefined })
  }

  startFile(name: string): void {
    this.#inference.startFile(name)
    this.#file += 1
    this.#rowsOfFile = 0
  }

  /** Takes rows before they are sent; throws `SampleRefuted` soon after one that shows something else. */
  add(rows: readonly ReadRow[], kind: CellKind, types?: ReadonlyMap<string, DeclaredType>): void {
    this.#inference.add(rows, kind, types)
    this.#rowsOfFile += rows.length
    // Until all rows of the sample are read, they may show less than the sample.
    const isInLast = this.#file === this.#sampledRows.length - 1
    const next = Math.max(this.#nextCheck, this.#sampledRows.at(-1) ?? 0)
    if (!isInLast || this.#rowsOfFile < next) return
    this.#nextCheck = this.#rowsOfFile + SAMPLE_ROWS
    this.end()
  }

  /** Returns what all rows show; throws `SampleRefuted` if they have another type than the sample. */
  end(): InferredType {
    const { apiName, displayName } = this.#options
    const inferred = this.#inference.finish(apiName, displayName)
    if (textOf(inferred) === this.#expected) return inferred
    throw new SampleRefuted('the rows have another type')
  }
}

/** Returns all that determines which objects the rows become. */
function textOf({ definition, columns }: InferredType): string {
  return JSON.stringify([definition, columns], (_, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  )
}
