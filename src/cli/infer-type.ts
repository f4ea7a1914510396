import type { InferredType } from '../transfer/infer/infer-type.ts'
import type { Inputs } from './inputs.ts'
import { tell } from './output.ts'

/** Reads all rows of the inputs and guesses the type of their objects. */
export async function inferFromFiles(
  inputs: Inputs,
  apiName: string,
  displayName?: string,
): Promise<InferredType> {
  const { inferrer } = await import('../transfer/infer/inferrer.ts')
  const guess = inferrer()
  const progress = inputs.startProgress('looking at the data')
  let rows = 0
  try {
    for await (const { source } of inputs.open()) {
      for await (const some of source.rows) {
        guess.add(some, source.kind)
        rows += some.length
        progress.update(rows)
      }
    }
  } finally {
    progress.end()
  }
  return guess.finish(apiName, displayName)
}

export function tellNotes({ notes }: InferredType): void {
  for (const note of notes) tell(note)
}
