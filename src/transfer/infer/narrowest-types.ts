import type { ColumnGuess, ColumnType } from './findings.ts'

export type NarrowType = 'byte' | 'short' | 'integer'

/** Finds how narrow the whole numbers of a column are, whose type is generous. */
export function narrowestTypes(
  columns: readonly ColumnGuess[],
  propertyOf: ReadonlyMap<string, string>,
  types: ReadonlyMap<string, ColumnType>,
): ReadonlyMap<string, NarrowType> {
  return new Map(
    columns.flatMap(({ name, maxMagnitude }) => {
      const { definition, style } = types.get(name) ?? {}
      const narrow = BOUNDS.find(([, bound]) => maxMagnitude <= bound)?.[0]
      const property = propertyOf.get(name)
      const isPlain = WHOLE.includes(definition?.type ?? '') && style?.numbers === undefined
      return isPlain && narrow !== undefined && property !== undefined ? [[property, narrow]] : []
    }),
  )
}

/** Finds the properties with whole numbers that a double cannot hold. */
export function wideProperties(
  columns: readonly ColumnGuess[],
  propertyOf: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const wide = columns.filter(({ exceedsDouble }) => exceedsDouble)
  return new Set(wide.flatMap(({ name }) => propertyOf.get(name) ?? []))
}

/** The types of whole numbers that are inferred. */
const WHOLE: readonly string[] = ['integer', 'long']

const BOUNDS = [
  ['byte', 127],
  ['short', 32_767],
  ['integer', 2_147_483_647],
] as const
