/** What tests of refused values share. */
import { expect } from 'vitest'

/** Wraps an argument, because `it.each` spreads arrays. */
export function only(value: unknown): [unknown] {
  return [value]
}

/** Matches the `RefusedValue` with a reason and a path. */
export function refusedFor(reason: string, path = ''): unknown {
  return expect.objectContaining({ name: 'RefusedValue', reason, path })
}
