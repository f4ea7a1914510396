/** How rows are read as objects of a type that existed before anything was inferred from them. */
import type { Note } from '../../formats/remedy.ts'
import { ownValue } from '../../formats/row.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { propertyNameOf } from '../columns/column-names.ts'
import { type ColumnOptions, missingKeyColumn } from '../columns/column-plan.ts'
import type { TextStyle } from '../columns/text-style.ts'
import { type InferredType, ROW_NUMBER } from '../infer/infer-type.ts'

export interface ExistingTypeOptions {
  readonly columns: ColumnOptions
  /** How texts are read that are not plain. */
  readonly notes: readonly Note[]
}

/**
 * Completes the options of the user; throws `ColumnMismatch` if no column provides the key. Rows are
 * numbered without being told only if no object can have their numbers.
 */
export function existingTypeOptions(
  type: ObjectTypeDefinition,
  inferred: InferredType,
  options: ColumnOptions,
  { areNumbersFree }: { readonly areNumbersFree: boolean },
): ExistingTypeOptions {
  const { primaryKey, properties } = type
  const propertyOf = (column: string) => {
    if (column === options.key) return primaryKey
    const name = options.map?.get(column) ?? column
    return Object.hasOwn(properties, name) ? name : propertyNameOf(column)
  }
  const isNumbered = isRowNumber(type)
  const numberRows = isNumbered && areNumbersFree
  const hasKey =
    numberRows ||
    options.rowNumber === primaryKey ||
    columnsOf(inferred).some((column) => propertyOf(column) === primaryKey)
  if (!hasKey) throw missingKeyColumn(type.apiName, primaryKey, isNumbered)

  const columnTexts = new Map<string, TextStyle>()
  const notes: Note[] = []
  for (const [column, style] of inferred.columns.columnTexts ?? []) {
    const property = propertyOf(column)
    // A string holds the texts of other types as they are, also one that stands for a missing value.
    if (ownValue(properties, property)?.type === 'string' && !isText(inferred, column)) continue
    columnTexts.set(column, style)
    const note = inferred.styleNotes.get(column)
    if (note !== undefined) notes.push({ ...note, text: `${property}: ${note.text}` })
  }
  return { columns: { ...options, columnTexts, numberRows }, notes }
}

function isText({ definition, propertyOf }: InferredType, column: string): boolean {
  return ownValue(definition.properties, propertyOf.get(column) ?? '')?.type === 'string'
}

function columnsOf({ propertyOf, columns }: InferredType): string[] {
  const pairs = [...(columns.geopoints ?? new Map()).values()]
  return [
    ...propertyOf.keys(),
    ...pairs.flatMap(({ latitude, longitude }) => [latitude, longitude]),
  ]
}

/** Returns whether the key was made for rows that no column identifies; such rows are numbered. */
export function isRowNumber({ primaryKey, properties }: ObjectTypeDefinition): boolean {
  const key = properties[primaryKey]
  return key?.type === ROW_NUMBER.type && key.description === ROW_NUMBER.description
}
