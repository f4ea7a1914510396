import type { ColumnOptions } from '../transfer/import/column-plan.ts'
import type { InferredType } from '../transfer/infer/infer-type.ts'
import type { Inputs } from './inputs.ts'
import { tell } from './output.ts'

export interface InferWish {
  readonly apiName: string
  readonly displayName?: string
  readonly columns?: ColumnOptions
  readonly signal: AbortSignal
}

/** Reads all rows of the inputs and guesses the type of their objects. */
export async function inferFromFiles(
  inputs: Inputs,
  { apiName, displayName, columns, signal }: InferWish,
): Promise<InferredType> {
  const { inferrer } = await import('../transfer/infer/inferrer.ts')
  const guess = inferrer(columns)
  const progress = inputs.startProgress('looking at the data')
  let rows = 0
  try {
    for await (const { source } of inputs.open()) {
      for await (const some of source.rows) {
        signal.throwIfAborted()
        guess.add(some, source.kind)
        rows += some.length
        progress.update(rows)
      }
      signal.throwIfAborted()
    }
  } finally {
    progress.end()
  }
  return guess.finish(apiName, displayName)
}

export function tellNotes({ notes }: InferredType): void {
  for (const note of notes) tell(note)
}
