import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import {
  bodyProperty,
  bodyValue,
  KEY_COLUMN,
  longTextProperty,
  type PropertySql,
  plainProperty,
  timeProperty,
} from './property-sql.ts'

/** A field with the types of its columns, in the words of the database. */
export interface NewField<Type extends string = string> extends FieldId {
  /**
   * The type of the value column, for properties and for struct fields with one value. That of a
   * property only says that there is a value if its values do not compare.
   */
  readonly valueType: Type | undefined
  /** The type of the elements, for fields with any number of values. */
  readonly elementType: Type | undefined
  /** The type of a struct field with one value, by which it is read from the body without a column. */
  readonly leafType?: ScalarType | undefined
  /** True for the property whose column value is the key itself, so that it needs no column. */
  readonly isKey?: boolean | undefined
}

/**
 * A field as the catalogue has it, where members that are false or undefined are left out. Its number
 * names its columns in SQL.
 */
export interface StoredField<Type extends string = string> extends NewField<Type> {
  readonly number: number
  /** True once a text was written that is too long for an index of PostgreSQL. */
  readonly hasLongText?: boolean
}

/** The fields of a table whose index holds only the beginning of their texts, by `fieldKey`. */
export type PrefixFields = ReadonlySet<string>

export const NO_PREFIX_FIELDS: ReadonlySet<string> = new Set()

/**
 * Why a field has no index: it has few values; no value of it finds few objects, or nobody asks for
 * one; it has free texts, which are stored in the body alone; or it was added when the table had many
 * rows. On PostgreSQL, only the last of these exists, until the index is built in the background.
 */
export type UnindexedReason = 'fewValues' | 'unselective' | 'freeText' | 'added'

/** The fields of a table that have no index, by `fieldKey`. */
export type UnindexedFields = ReadonlyMap<string, UnindexedReason>

/** What the indexes of a table hold of its fields. */
export interface FieldIndexes {
  readonly prefixFields: PrefixFields
  readonly unindexedFields: UnindexedFields
}

/** Every field has an index with its whole values. */
export const ALL_INDEXED: FieldIndexes = {
  prefixFields: NO_PREFIX_FIELDS,
  unindexedFields: new Map(),
}

/** The type of columns with timestamps, whose stored column has integers. */
export const INDEXED_TIME = 'timestamp'

/** Finds the fields of one object type, and their columns in one of its tables. */
export class FieldNumbers<Type extends string = string> {
  readonly #fields = new Map<string, StoredField<Type>>()
  readonly prefixFields: PrefixFields
  readonly #unindexedFields: UnindexedFields
  /** The properties, in ascending order of their numbers. */
  readonly properties: readonly StoredField<Type>[]
  /** The fields with a value column, or whose value is the key. */
  readonly columns: readonly StoredField<Type>[]

  constructor(fields: readonly StoredField<Type>[], indexes: Partial<FieldIndexes> = {}) {
    for (const field of fields) this.#fields.set(fieldKey(field), field)
    this.columns = fields.filter(({ valueType }) => valueType !== undefined)
    this.properties = fields.filter(({ structField }) => structField === undefined)
    const { prefixFields, unindexedFields } = { ...ALL_INDEXED, ...indexes }
    this.prefixFields = prefixFields
    this.#unindexedFields = unindexedFields
  }

  numberOf(field: FieldId): number | undefined {
    return this.#fields.get(fieldKey(field))?.number
  }

  find(field: FieldId): StoredField<Type> {
    const found = this.#fields.get(fieldKey(field))
    if (found === undefined) throw new Error(`no number for field ${field.property}`)
    return found
  }

  of(field: FieldId): number {
    return this.find(field).number
  }

  /** True if the value of a field is in a column. That of an array only says that there is one. */
  hasColumn(field: FieldId): boolean {
    return this.#fields.get(fieldKey(field))?.valueType !== undefined
  }

  /** Returns a property, or a struct field with one value, as SQL over the table aliased `o`. */
  propertySql(property: string, structField?: string): PropertySql {
    const field = this.find({ property, structField })
    const { number, valueType, isKey } = field
    if (isKey) return plainProperty(KEY_COLUMN)
    if (valueType === undefined) return plainProperty(this.leafSql(field))
    if (this.isInBody(field)) return bodyProperty(property)
    if (valueType === INDEXED_TIME) return timeProperty(`o.${timeColumnOf(number)}`)
    const column = `o.${columnOf(number)}`
    const isPrefix = this.prefixFields.has(fieldKey(field))
    return isPrefix ? longTextProperty(column) : plainProperty(column)
  }

  /** True for a free text, which has no column but is read from the body. */
  isInBody(field: FieldId): boolean {
    return this.#unindexedFields.get(fieldKey(field)) === 'freeText'
  }

  /** Returns the only value of a field without a column. */
  protected leafSql({ leafType, ...field }: StoredField<Type>): string {
    if (leafType === undefined) throw new Error(`no single value of ${field.property}`)
    return bodyValue(field, leafType)
  }
}

/** Returns the name of a field's column. */
export function columnOf(number: number): string {
  return `p${checkNumber(number)}`
}

/** Returns the name of the column that has a field's timestamps as integers. */
function timeColumnOf(number: number): string {
  return `t${checkNumber(number)}`
}

function checkNumber(number: number): number {
  if (!Number.isSafeInteger(number)) throw new Error(`not a field number: ${number}`)
  return number
}
