/** Maps the columns of a file to the properties of an existing type. */
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import {
  ColumnMismatch,
  type ColumnOptions,
  planColumns,
} from '../../transfer/columns/column-plan.ts'
import { existingTypeOptions, isRowNumber } from '../../transfer/import/existing-type.ts'
import { parsedType } from './apply-type.ts'
import { meantFormat, mistakeInFormat } from './date-formats.ts'
import type { FileReport } from './messages.ts'
import { meantNumbers, type NumberStyle } from './number-styles.ts'

/**
 * The property of each column: its name, or its name and a half of a geopoint (`location/latitude`).
 * Columns without a property are skipped.
 */
export type ColumnMapping = ReadonlyMap<string, string>

const HALVES = ['latitude', 'longitude'] as const

/** Returns the mapping by names, as the command line would choose it. */
export function suggestMapping(type: ObjectType, columns: readonly string[]): ColumnMapping {
  try {
    const plan = planColumns(type, columns, { ignoreUnmatched: true })
    return new Map([
      ...plan.columns,
      ...[...plan.geopoints].flatMap(([property, pair]) =>
        HALVES.map((half) => [pair[half], `${property}/${half}`] as const),
      ),
    ])
  } catch (error) {
    if (!(error instanceof ColumnMismatch)) throw error
    // Two columns match one property: only those with exactly its name are certain.
    return new Map(
      columns.filter((column) => type.properties.has(column)).map((column) => [column, column]),
    )
  }
}

/** Returns the targets that a column can have. */
export function targetsOf({ properties }: ObjectType): readonly string[] {
  return [...properties.values()].flatMap(({ apiName, type }) =>
    type.kind === 'scalar' && type.type === 'geopoint'
      ? [apiName, ...HALVES.map((half) => `${apiName}/${half}`)]
      : [apiName],
  )
}

/** Returns how the file is read with a mapping. */
export function optionsOfMapping(
  type: ObjectType,
  columns: readonly string[],
  mapping: ColumnMapping,
): ColumnOptions {
  const map = new Map([...mapping].filter(([, target]) => !target.includes('/')))
  const sourceOf = new Map([...mapping].map(([column, target]) => [target, column]))
  const geopoints = new Map(
    [...type.properties.keys()].flatMap((property) => {
      const latitude = sourceOf.get(`${property}/latitude`)
      const longitude = sourceOf.get(`${property}/longitude`)
      return latitude === undefined || longitude === undefined
        ? []
        : [[property, { latitude, longitude }] as const]
    }),
  )
  return {
    map,
    geopoints,
    ignore: new Set(columns.filter((column) => !mapping.has(column))),
    ignoreUnmatched: true,
  }
}

/** Returns what prevents a load with a mapping, as sentences. */
export function mistakesInMapping(
  { primaryKey: { apiName: key } }: ObjectType,
  mapping: ColumnMapping,
  { needsKey }: { readonly needsKey: boolean },
): readonly string[] {
  const targets = [...mapping.values()]
  const properties = targets.map((target) => target.split('/')[0] ?? '')
  const mistakes = new Set<string>()
  for (const [index, target] of targets.entries()) {
    const property = properties[index] ?? ''
    const half = HALVES.find((name) => target === `${property}/${name}`)
    const other = HALVES.find((name) => name !== half)
    const isRepeated =
      targets.indexOf(target) !== index || (half !== undefined && targets.includes(property))
    if (isRepeated) mistakes.add(`Two columns go into “${property}”. Skip one of them.`)
    if (half !== undefined && !targets.includes(`${property}/${other}`)) {
      mistakes.add(`Choose the column with the ${other} of “${property}” as well.`)
    }
  }
  if (targets.length === 0) mistakes.add('Choose a property for at least one column.')
  else if (needsKey && !targets.includes(key)) {
    mistakes.add(
      `No column goes into “${key}”, which identifies the objects. Choose the column that has it.`,
    )
  }
  return [...mistakes]
}

/** How the user wants the texts of a column to be read, where that differs from the guess. */
export interface ColumnReading {
  /** The format of its dates, as the user wrote it; empty for ISO 8601. */
  readonly dateFormat?: string
  /** How its numbers are written. */
  readonly numbers?: NumberStyle
  /** Whether texts that usually stand for a missing value are values. */
  readonly keepsNulls?: boolean
}

export type ColumnReadings = ReadonlyMap<string, ColumnReading>

/** Returns how a file is read as objects of a type that exists, with the columns that were chosen. */
export function existingTarget(
  definition: ObjectTypeDefinition,
  { columns, inferred }: Pick<FileReport, 'columns' | 'inferred'>,
  chosen: ColumnMapping | undefined,
  readings: ColumnReadings,
) {
  const type = parsedType(definition)
  const mapping = chosen ?? suggestMapping(type, columns)
  const hasKey = [...mapping.values()].includes(definition.primaryKey)
  // Rows without a key are numbered after the last object.
  const isNumbered = !hasKey && isRowNumber(definition)
  const mistakes = [
    ...mistakesInMapping(type, mapping, { needsKey: !isNumbered }),
    ...[...readings.values()].flatMap(({ dateFormat = '' }) => mistakeInFormat(dateFormat) ?? []),
  ]
  const options = optionsOfMapping(type, columns, mapping)
  if (!hasKey && !isNumbered) return { mapping, columns: options, mistakes, isNumbered }
  const read = existingTypeOptions(definition, inferred, options, { areNumbersFree: isNumbered })
  const columnTexts = new Map(read.columns.columnTexts)
  for (const [column, { dateFormat, numbers, keepsNulls = false }] of readings) {
    const guess = columnTexts.get(column)
    const written = dateFormat === '' ? [] : [meantFormat(dateFormat ?? '')]
    const formats = dateFormat === undefined ? guess?.dateFormats : written
    const nulls = keepsNulls ? [] : guess?.nulls
    columnTexts.set(column, {
      ...guess,
      numbers: numbers === undefined ? guess?.numbers : meantNumbers(numbers),
      dateFormats: formats,
      nulls,
    })
  }
  return { mapping, columns: { ...read.columns, columnTexts }, mistakes, isNumbered }
}
