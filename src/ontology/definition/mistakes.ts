/** Mistakes in an ontology definition, which are collected and reported together. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { DEFINITION_MISTAKES_MAX } from '../../contract/limits.ts'

export interface Mistake {
  readonly path: string
  readonly reason: string
}

export function refuseMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length === 0) return
  throw new ObjectQueryError('InvalidOntologyDefinition', {
    mistakes: mistakes.slice(0, DEFINITION_MISTAKES_MAX),
  })
}
