/** The differences between two states, property by property. */
import type { ObjectTypeDefinition } from '../api/ontology.ts'

export type Values = Readonly<Record<string, unknown>>

export interface Difference {
  readonly property: string
  readonly before: unknown
  readonly after: unknown
  readonly kind: 'same' | 'changed' | 'added' | 'removed'
}

/** Returns every property of the type: those that differ first, in the order of the definition. */
export function differencesOf(
  { properties }: Pick<ObjectTypeDefinition, 'properties'>,
  before: Values,
  after: Values,
): readonly Difference[] {
  const all = Object.keys(properties).map((property): Difference => {
    const pair = { property, before: before[property], after: after[property] }
    return { ...pair, kind: kindOf(pair.before, pair.after) }
  })
  return [
    ...all.filter(({ kind }) => kind !== 'same'),
    ...all.filter(({ kind }) => kind === 'same'),
  ]
}

/** Returns the properties that differ. */
export function changesOf(...states: Parameters<typeof differencesOf>): readonly Difference[] {
  return differencesOf(...states).filter(({ kind }) => kind !== 'same')
}

function kindOf(before: unknown, after: unknown): Difference['kind'] {
  const [was, is] = [before ?? undefined, after ?? undefined]
  if (isEqual(was, is)) return 'same'
  if (was === undefined) return 'added'
  return is === undefined ? 'removed' : 'changed'
}

/** Members of a struct have no order; elements of an array do. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) => isEqual((a as Values)[name], (b as Values)[name]))
}
