import type { ColumnOptions } from '../transfer/columns/column-plan.ts'
import type { InferredType } from '../transfer/infer/infer-type.ts'
import type { Inputs } from './inputs.ts'
import { printMessage } from './output.ts'
import { describeNote } from './remedies.ts'

export interface InferOptions {
  readonly apiName: string
  readonly displayName?: string
  readonly columns?: ColumnOptions
  readonly signal: AbortSignal
}

/** Reads all rows of the inputs and infers their object type. */
export async function inferFromFiles(
  inputs: Inputs,
  { apiName, displayName, columns, signal }: InferOptions,
): Promise<InferredType> {
  const { inferrer } = await import('../transfer/infer/inferrer.ts')
  const inference = inferrer(columns)
  const progress = inputs.startProgress('inferring types')
  let rows = 0
  try {
    for await (const { name, source } of inputs.open()) {
      inference.startFile(name)
      for await (const some of source.rows) {
        signal.throwIfAborted()
        inference.add(some, source.kind, source.types)
        rows += some.length
        progress.update(rows)
      }
      signal.throwIfAborted()
    }
  } finally {
    progress.end()
  }
  return inference.finish(apiName, displayName)
}

export function printNotes({ notes }: Pick<InferredType, 'notes'>): void {
  for (const note of notes) printMessage(describeNote(note))
}
