/** How a file is read as objects of a type that exists, with the columns that the user chose. */
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { ColumnOptions } from '../../transfer/import/column-plan.ts'
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
  /** The formats of dates that the user wrote, by column. */
  dateFormats: ReadonlyMap<string, string>,
): ExistingTarget {
  const type = parsedType(definition)
  const mapping = chosen ?? suggestMapping(type, columns)
  const hasKey = [...mapping.values()].includes(definition.primaryKey)
  const isNumbered = !hasKey && isRowNumber(definition)
  const mistakes = [
    ...mistakesInMapping(type, mapping, { needsKey: !isNumbered }),
    ...[...dateFormats.values()].flatMap((format) => mistakeInFormat(format) ?? []),
  ]
  const options = optionsOfMapping(type, columns, mapping)
  if (!hasKey && !isNumbered) return { mapping, columns: options, mistakes, isNumbered }
  const read = existingTypeOptions(definition, inferred, options, { areNumbersFree: isNumbered })
  const columnTexts = new Map(read.columns.columnTexts)
  for (const [column, format] of dateFormats) {
    const formats = format === '' ? [] : [meantFormat(format)]
    columnTexts.set(column, { ...columnTexts.get(column), dateFormats: formats })
  }
  return { mapping, columns: { ...read.columns, columnTexts }, mistakes, isNumbered }
}
