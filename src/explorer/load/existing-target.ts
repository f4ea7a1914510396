/** How a file is read as objects of a type that exists, with the columns that the user chose. */
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { ColumnOptions } from '../../transfer/columns/column-plan.ts'
import { existingTypeOptions, isRowNumber } from '../../transfer/import/existing-type.ts'
import {
  type ColumnMapping,
  mistakesInMapping,
  optionsOfMapping,
  suggestMapping,
} from './column-mapping.ts'
import { meantFormat, mistakeInFormat } from './date-formats.ts'
import type { FileReport } from './messages.ts'
import { parsedType } from './parsed-type.ts'

/** How the user wants the texts of a column to be read, where that differs from the guess. */
export interface ColumnReading {
  /** The format of its dates, as the user wrote it; empty for ISO 8601. */
  readonly dateFormat?: string
  /** Whether texts that usually stand for a missing value are values. */
  readonly keepsNulls?: boolean
}

export type ColumnReadings = ReadonlyMap<string, ColumnReading>

export interface ExistingTarget {
  readonly mapping: ColumnMapping
  readonly columns: ColumnOptions
  readonly mistakes: readonly string[]
  /** Whether the rows have no key, so that they are numbered after the last object. */
  readonly isNumbered: boolean
}

export function existingTarget(
  definition: ObjectTypeDefinition,
  { columns, inferred }: Pick<FileReport, 'columns' | 'inferred'>,
  chosen: ColumnMapping | undefined,
  readings: ColumnReadings,
): ExistingTarget {
  const type = parsedType(definition)
  const mapping = chosen ?? suggestMapping(type, columns)
  const hasKey = [...mapping.values()].includes(definition.primaryKey)
  const isNumbered = !hasKey && isRowNumber(definition)
  const mistakes = [
    ...mistakesInMapping(type, mapping, { needsKey: !isNumbered }),
    ...[...readings.values()].flatMap(({ dateFormat = '' }) => mistakeInFormat(dateFormat) ?? []),
  ]
  const options = optionsOfMapping(type, columns, mapping)
  if (!hasKey && !isNumbered) return { mapping, columns: options, mistakes, isNumbered }
  const read = existingTypeOptions(definition, inferred, options, { areNumbersFree: isNumbered })
  const columnTexts = new Map(read.columns.columnTexts)
  for (const [column, { dateFormat, keepsNulls = false }] of readings) {
    const guess = columnTexts.get(column)
    const formats = dateFormat === undefined ? guess?.dateFormats : formatsOf(dateFormat)
    columnTexts.set(column, {
      ...guess,
      dateFormats: formats,
      nulls: keepsNulls ? [] : guess?.nulls,
    })
  }
  return { mapping, columns: { ...read.columns, columnTexts }, mistakes, isNumbered }
}

function formatsOf(written: string): readonly string[] {
  return written === '' ? [] : [meantFormat(written)]
}
