/** Mistakes in an ontology definition, which are collected and reported together. */

import { ObjectQueryError } from '../../contract/errors.ts'

export interface Mistake {
  readonly path: string
  readonly reason: string
}

export function refuseMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new ObjectQueryError('InvalidOntologyDefinition', { mistakes })
}
