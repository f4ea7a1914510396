import type { ColumnOptions } from '../transfer/columns/column-plan.ts'
import type { InferredType } from '../transfer/infer/infer-type.ts'
import type { Inference } from '../transfer/infer/sample.ts'
import type { Inputs } from './inputs.ts'
import { printMessage } from './output.ts'
import { describeNote } from './remedies.ts'

export interface InferOptions {
  readonly apiName: string
  readonly displayName?: string
  readonly columns?: ColumnOptions
  readonly signal: AbortSignal
  /** How many rows of each file to read. By default, all of them. */
  readonly rowsPerFile?: number | undefined
}

/** Reads the rows of the inputs and infers their object type. */
export async function inferFromFiles(
  inputs: Inputs,
  { rowsPerFile, ...options }: InferOptions,
): Promise<Inference> {
  const { inferRows } = await import('../transfer/infer/sample.ts')
  const progress = inputs.startProgress('inferring types')
  const onProgress = (rows: number) => progress.update(rows)
  try {
    return await inferRows(inputs.open(), { ...options, onProgress }, rowsPerFile)
  } finally {
    progress.end()
  }
}

export function printNotes({ notes }: Pick<InferredType, 'notes'>): void {
  for (const note of notes) printMessage(describeNote(note))
}
