/** Mistakes in an ontology definition, which are collected and reported together. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { DEFINITION_MISTAKES_MAX } from '../../contract/limits.ts'

export interface Mistake {
  readonly path: string
  readonly reason: string
}

export class Mistakes {
  readonly all: Mistake[] = []

  get count(): number {
    return this.all.length
  }

  add(path: string, reason: string): undefined {
    this.all.push({ path, reason })
  }

  /** Throws if there are any. */
  refuse(): void {
    if (this.count === 0) return
    const mistakes = this.all.slice(0, DEFINITION_MISTAKES_MAX)
    throw new ObjectQueryError('InvalidOntologyDefinition', { mistakes })
  }
}
