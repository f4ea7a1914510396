/** Limits the bytes of all definitions, and of those that one caller created. */

import { ObjectQueryError } from '../../contract/errors.ts'
import {
  CALLER_DEFINITIONS_MAX_BYTES,
  DEFINITION_MIN_COUNTED_BYTES,
  DEFINITIONS_MAX_BYTES,
} from '../../contract/memory-limits.ts'
import type { DefinitionLimits } from '../port/maintenance.ts'
import { INTERNAL_CONTEXT } from '../port/request-context.ts'

export const DEFAULT_DEFINITION_LIMITS: DefinitionLimits = {
  totalBytes: DEFINITIONS_MAX_BYTES,
  callerBytes: CALLER_DEFINITIONS_MAX_BYTES,
}

/** What counts already, as sums of `countedBytes`. */
export interface DefinitionUsage {
  readonly total: number
  /** The definitions of the caller that created the ontology to save. */
  readonly ofCreator: number
  /** The ontology to save; 0 if it is new. */
  readonly ofOntology: number
  readonly createdBy: string
}

/** Small definitions count more than their size, because every process keeps their names in memory. */
export function countedBytes(definition: string): number {
  return Math.max(Buffer.byteLength(definition), DEFINITION_MIN_COUNTED_BYTES)
}

/** Throws `DefinitionsExceededLimit` if a definition adds bytes beyond a limit. */
export function refuseExcessDefinition(
  bytes: number,
  usage: DefinitionUsage,
  { totalBytes, callerBytes }: DefinitionLimits,
): void {
  const added = bytes - usage.ofOntology
  if (added <= 0) return
  const refuse = (scope: string, count: number, definitionsLimit: number, setting: string) => {
    if (count <= definitionsLimit) return
    const reason = `${scope} would have ${count} bytes of ontology definitions, and the limit is ${definitionsLimit}; delete ontologies that are not needed, or raise ${setting}`
    throw new ObjectQueryError('DefinitionsExceededLimit', { definitionsLimit, reason })
  }
  refuse('the service', usage.total + added, totalBytes, 'OQS_DEFINITIONS_MAX_BYTES')
  if (usage.createdBy === INTERNAL_CONTEXT.callerId) return
  const setting = 'OQS_CALLER_DEFINITIONS_MAX_BYTES'
  refuse('the caller that created them', usage.ofCreator + added, callerBytes, setting)
}

/** Throws if an object type has a RID that belongs to a type of another ontology. */
export function refuseTakenTypes(
  objectTypes: readonly { readonly rid?: string }[],
  taken: ReadonlySet<string>,
): void {
  const mistakes = objectTypes.flatMap(({ rid = '' }, index) =>
    taken.has(rid)
      ? [{ path: `objectTypes[${index}].rid`, reason: 'belongs to another object type' }]
      : [],
  )
  if (mistakes.length > 0) throw new ObjectQueryError('InvalidOntologyDefinition', { mistakes })
}
