/** The error of a write whose objects violate constraints. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { VIOLATIONS_MAX } from '../../contract/limits.ts'
import type { ViolatingObject } from './read-object.ts'

/** A refused object, with the line of the batch that has it. */
export interface RefusedLine {
  readonly object: ViolatingObject
  readonly line?: number | undefined
}

/** Lists the first violations; never with the values. */
export function constraintViolated(
  objectType: string,
  refused: readonly RefusedLine[],
): ObjectQueryError {
  const violations = refused.flatMap(({ object: { key, violations: all }, line }) =>
    all.map((one) => ({
      objectType,
      ...(key !== undefined && { primaryKey: key }),
      ...one,
      ...(line !== undefined && { line }),
    })),
  )
  const lines = refused.flatMap(({ object: { property, reason }, line }) =>
    line === undefined ? [] : [{ line, property, reason }],
  )
  return new ObjectQueryError('ConstraintViolated', {
    violations: violations.slice(0, VIOLATIONS_MAX),
    violationCount: violations.length,
    ...(lines.length > 0 && { refused: lines }),
  })
}
