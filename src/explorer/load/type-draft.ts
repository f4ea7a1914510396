/** A new object type while the user edits it: what was inferred, and what was changed. */
import { API_NAME_PATTERN } from '../../ontology/definition/api-name.ts'
import type {
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { LANGUAGES } from '../../ontology/definition/language.ts'
import {
  isPrimaryKeyType,
  isTitleType,
  SCALAR_TYPES,
  type ScalarType,
} from '../../ontology/definition/property-type.ts'
import { freeName } from '../../transfer/columns/column-names.ts'
import type { ColumnOptions } from '../../transfer/columns/column-plan.ts'
import { isNumberType, type TextStyle } from '../../transfer/columns/text-style.ts'
import { type InferredType, ROW_NUMBER } from '../../transfer/infer/infer-type.ts'
import { isTimeType, meantFormat, mistakeInFormat, shownFormat } from './date-formats.ts'
import { meantNumbers, type NumberStyle } from './number-styles.ts'

export interface PropertyDraft {
  readonly name: string
  /** The column of the file, or the latitude and the longitude of a geopoint. */
  readonly columns: readonly string[]
  readonly definition: PropertyDefinition
  /** The definition that was inferred; undefined for a property without a file. */
  readonly inferred: PropertyDefinition | undefined
  readonly isSkipped: boolean
  /** How the texts of its column are read as values of the inferred type. */
  readonly texts?: TextStyle
  /** The format of its dates, as the user wrote it; empty for ISO 8601. */
  readonly dateFormat?: string
  /** How its numbers are written, as the user chose it. */
  readonly numbers?: NumberStyle
  /** Whether texts that usually stand for a missing value are values. */
  readonly keepsNulls?: boolean
}

export interface TypeDraft {
  readonly apiName: string
  readonly properties: readonly PropertyDraft[]
  /** The property that identifies an object; undefined for the row number. */
  readonly key: string | undefined
  readonly title: string | undefined
}

/** Returns the draft of a type that was inferred from a file. */
export function draftOf({ definition, columns, propertyOf }: InferredType): TypeDraft {
  const columnOf = new Map([...propertyOf].map(([column, name]) => [name, column]))
  const properties = Object.entries(definition.properties)
    .filter(([name]) => name !== columns.rowNumber)
    .map(([name, inferred]): PropertyDraft => {
      const pair = columns.geopoints?.get(name)
      const column = columnOf.get(name) ?? name
      const sources = pair ? [pair.latitude, pair.longitude] : [column]
      const texts = columns.columnTexts?.get(column)
      const state = { definition: inferred, inferred, isSkipped: false }
      return { name, columns: sources, ...state, ...(texts && { texts }) }
    })
  return {
    apiName: definition.apiName,
    properties,
    key: columns.rowNumber === undefined ? definition.primaryKey : undefined,
    title: definition.titleProperty,
  }
}

/** Returns the draft of a type without a file, with a property to begin with. */
export function emptyDraft(): TypeDraft {
  return { apiName: '', properties: [newProperty('id')], key: 'id', title: undefined }
}

export function newProperty(name: string): PropertyDraft {
  const definition = { type: 'string' } as const
  return { name, columns: [], definition, inferred: undefined, isSkipped: false }
}

/** Returns the types that the user can choose for a property. */
export function typeChoices({ inferred, columns }: PropertyDraft): readonly PropertyDefinition[] {
  // A geopoint from two columns can be nothing else.
  if (columns.length === 2 && inferred !== undefined) return [inferred]
  const texts = LANGUAGES.map((language): PropertyDefinition => ({ type: 'string', language }))
  const scalars = SCALAR_TYPES.flatMap((type): PropertyDefinition[] =>
    type === 'string' ? [{ type }, ...texts] : [{ type }],
  )
  if (inferred === undefined) {
    return [...scalars, { type: 'array', items: { type: 'string' } }]
  }
  return isScalar(inferred) ? scalars : [inferred, ...scalars]
}

/** Returns the name of a type: `integer`, `array of string`, `struct {x, y}`, `string in english`. */
export function typeText(definition: PropertyDefinition): string {
  const { language } = definition
  return language === undefined ? plainText(definition) : `${plainText(definition)} in ${language}`
}

function plainText({ type, items, fields }: PropertyDefinition): string {
  if (type === 'array' && items !== undefined) return `array of ${typeText(items)}`
  if (type === 'struct' && fields !== undefined) return `struct {${Object.keys(fields).join(', ')}}`
  return type
}

function isScalar({ type }: PropertyDefinition): boolean {
  return type !== 'array' && type !== 'struct'
}

/** Returns the property with another type. What was said about the inferred type no longer holds. */
export function withType(property: PropertyDraft, choice: PropertyDefinition): PropertyDraft {
  const { inferred } = property
  if (inferred !== undefined && typeText(choice) === typeText(inferred)) {
    return { ...property, definition: inferred }
  }
  const { displayName } = property.definition
  return { ...property, definition: { ...choice, ...(displayName && { displayName }) } }
}

export function canBeKey({ definition, isSkipped }: PropertyDraft): boolean {
  return !isSkipped && isPrimaryKeyType(definition.type as ScalarType)
}

export function canBeTitle({ definition, isSkipped }: PropertyDraft): boolean {
  return !isSkipped && isTitleType(definition.type as ScalarType)
}

/** Returns the draft with another state of one property; a lost key or title is chosen again. */
export function withProperty(draft: TypeDraft, at: number, property: PropertyDraft): TypeDraft {
  const before = draft.properties[at]
  const properties = draft.properties.with(at, property)
  const follow = (chosen: string | undefined, isUsable: boolean) =>
    chosen !== undefined && chosen === before?.name
      ? isUsable
        ? property.name
        : undefined
      : chosen
  return {
    ...draft,
    properties,
    key: follow(draft.key, canBeKey(property)),
    title: follow(draft.title, canBeTitle(property)),
  }
}

/** Returns the property that numbers the rows; undefined if a property of the file is the key. */
function rowNumberOf({ key, properties }: TypeDraft): string | undefined {
  if (key !== undefined) return undefined
  return freeName('row', (name) => properties.some((property) => property.name === name))
}

/** Returns the definition as the service takes it. */
export function definitionOf(draft: TypeDraft): ObjectTypeDefinition {
  const rowNumber = rowNumberOf(draft)
  const kept = draft.properties
    .filter(({ isSkipped }) => !isSkipped)
    .map((property) => [property.name, describedBy(property, draft.key)] as const)
  return {
    apiName: draft.apiName,
    primaryKey: draft.key ?? rowNumber ?? '',
    ...(draft.title === undefined ? {} : { titleProperty: draft.title }),
    properties: Object.fromEntries(
      rowNumber === undefined ? kept : [[rowNumber, ROW_NUMBER] as const, ...kept],
    ),
  }
}

const KEY_NOTE = /^Inferred to be the primary key/

/** Drops the note that a property is the key from one that no longer is. */
function describedBy({ name, definition }: PropertyDraft, key: string | undefined) {
  const { description, ...rest } = definition
  return name === key || description === undefined || !KEY_NOTE.test(description)
    ? definition
    : rest
}

/** Returns how the file is read as objects of the drafted type. */
export function columnOptionsOf(draft: TypeDraft): ColumnOptions {
  const rowNumber = rowNumberOf(draft)
  const kept = draft.properties.filter(({ isSkipped }) => !isSkipped)
  const skipped = draft.properties.filter(({ isSkipped }) => isSkipped)
  const pairs = kept.flatMap(({ name, columns: [latitude, longitude] }) =>
    latitude !== undefined && longitude !== undefined
      ? [[name, { latitude, longitude }] as const]
      : [],
  )
  return {
    map: new Map(
      kept.flatMap(({ name, columns: [column, second] }) =>
        column !== undefined && second === undefined ? [[column, name] as const] : [],
      ),
    ),
    ignore: new Set(skipped.flatMap(({ columns }) => columns)),
    geopoints: new Map(pairs),
    columnTexts: new Map(kept.flatMap(textsOf)),
    ignoreUnmatched: true,
    ...(rowNumber === undefined ? {} : { rowNumber }),
  }
}

function textsOf(property: PropertyDraft) {
  const [column] = property.columns
  const texts = styleOf(property)
  return column === undefined || texts === undefined ? [] : [[column, texts] as const]
}

/**
 * Returns how the texts of a property are read. Of one with another type than the inferred one, only
 * what stands for a missing value is known; a string then has all texts as they are.
 */
function styleOf(property: PropertyDraft): TextStyle | undefined {
  const { definition, inferred, dateFormat, numbers, texts, keepsNulls = false } = property
  const isInferred = definition.type === inferred?.type
  const nulls = keepsNulls || (!isInferred && definition.type === 'string') ? [] : texts?.nulls
  const plain: TextStyle = { ...(isInferred ? texts : {}), nulls }
  const own =
    numbers === undefined || !isNumberType(definition.type)
      ? plain
      : { ...plain, numbers: meantNumbers(numbers) }
  if (dateFormat === undefined || !isTimeType(definition.type)) return own
  return { ...own, dateFormats: dateFormat === '' ? [] : [meantFormat(dateFormat)] }
}

/** Returns the format of the dates of a property, as people write it; empty for ISO 8601. */
export function dateFormatOf({ dateFormat, definition, inferred, texts }: PropertyDraft): string {
  if (dateFormat !== undefined) return dateFormat
  const [format] = definition.type === inferred?.type ? (texts?.dateFormats ?? []) : []
  return format === undefined ? '' : shownFormat(format)
}

const API_NAME = new RegExp(API_NAME_PATTERN)

/** Returns what is wrong with a name, as a sentence. */
export function mistakeInName(name: string, pattern: RegExp = API_NAME): string | undefined {
  if (name === '') return 'Give it a name.'
  return pattern.test(name)
    ? undefined
    : 'Use letters, digits, “_”, “-” and “.” only; they become part of addresses.'
}

/** Returns what is wrong with the properties of a draft, as a sentence. */
export function mistakeInProperties({ properties }: TypeDraft): string | undefined {
  const names = properties.filter(({ isSkipped }) => !isSkipped).map(({ name }) => name)
  if (names.length === 0) return 'A type needs at least one property.'
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) return `Two properties are called “${repeated}”.`
  const wrong = names.find((name) => mistakeInName(name) !== undefined)
  if (wrong !== undefined) return mistakeInName(wrong)
  const formats = properties.filter(
    ({ definition, isSkipped }) => !isSkipped && isTimeType(definition.type),
  )
  return formats.map(({ dateFormat = '' }) => mistakeInFormat(dateFormat)).find(Boolean)
}
