/** Rows in the binary format of COPY. Their versions are known last, and are at fixed offsets. */

import type { Steps } from '../../../ontology/pausable-work.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import {
  columnValue,
  fieldKey,
  type SearchableValues,
} from '../../../ontology/values/searchable-values.ts'
import { recordBytes } from '../../batch-rules.ts'
import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import { objectChecksum } from '../../object-checksum.ts'
import { columnOf } from '../../sql/compile/field-numbers.ts'
import { LONG_TEXT_LENGTH } from '../../sql/compile/property-sql.ts'
import type { NumberedTexts } from '../../sql/text/text-index.ts'
import { addArray, addBox, type Box, columnAdder } from '../catalogue/column-bytes.ts'
import {
  elementColumnOf,
  elementFieldsOf,
  type FieldColumns,
  valueFieldsOf,
} from '../catalogue/field-columns.ts'
import { CopyBuffer } from '../driver/copy-buffer.ts'
import { BatchTerms } from '../text/batch-terms.ts'
import { longTextCells, type TextCells } from '../text/lexemes.ts'
import type { Vocabulary } from '../text/save-terms.ts'

/** Texts of objects with a longer body are split into terms in steps. */
const LONG_BODY = 64 * 1024

const VERSION_COLUMNS = ['valid_from', 'valid_to'] as const
const TEXT_COLUMNS = ['pk', 'object_id', 'key', 'title', 'body', 'words'] as const
const OTHER_COLUMNS = ['lexemes', 'area', 'checksum'] as const

/** Returns the columns that a row has values for, its versions first. */
export function rowColumns(fields: readonly FieldColumns[]): string[] {
  return [
    ...VERSION_COLUMNS,
    ...TEXT_COLUMNS,
    ...OTHER_COLUMNS,
    ...valueFieldsOf(fields).map(({ number }) => columnOf(number)),
    ...elementFieldsOf(fields).map(({ number }) => elementColumnOf(number)),
  ]
}

/** The bytes before the versions of a row: the number of its values, and the length of a bigint. */
const VERSION_OFFSET = 6
const VERSION_BYTES = 8
/** A length is also before the second one. */
const CLOSING_OFFSET = VERSION_OFFSET + VERSION_BYTES + 4

/** A row among others that are encoded together. That of an object to delete is empty. */
export interface EncodedRow {
  readonly key: string
  readonly rows: Uint8Array
  readonly start: number
  readonly end: number
}

/** The version of the first commit that a row is visible to, and that of the first it is not. */
export interface RowVersions {
  readonly from: number
  readonly to: number
}

/** The version of all rows, which are current, or the versions of each. */
export type VersionsOfRows = number | ((key: string, index: number) => RowVersions)

/** Returns the function that sets the versions of rows. */
export function versionSetter(versions: VersionsOfRows): (row: EncodedRow, index: number) => void {
  const [from, to] = [Buffer.alloc(VERSION_BYTES), Buffer.alloc(VERSION_BYTES)]
  if (typeof versions === 'number') from.writeBigInt64BE(BigInt(versions))
  return ({ key, rows, start }, index) => {
    if (typeof versions === 'function') {
      const row = versions(key, index)
      from.writeBigInt64BE(BigInt(row.from))
      to.writeBigInt64BE(BigInt(row.to))
      rows.set(to, start + CLOSING_OFFSET)
    }
    rows.set(from, start + VERSION_OFFSET)
  }
}

/** Returns whether the object is so large that writing its row would block other requests. */
export function isLongObject({ body }: StoredObject): boolean {
  return body.length > LONG_BODY
}

/** Stands for the version of a row until it is known. */
const UNKNOWN_VERSION = 0

/** What a table must be prepared for before it gets rows. */
export interface RowFacts {
  /** The bytes of the largest record. */
  maxRecordBytes: number
  /** The numbers of the fields with a text that is better indexed by its first characters. */
  readonly long: Set<number>
  /** Those of the fields with a text that no B-tree or GIN index can hold. */
  readonly tooLong: Set<number>
}

export function noFacts(): RowFacts {
  return { maxRecordBytes: 0, long: new Set(), tooLong: new Set() }
}

/** An index entry may have 2,704 bytes, of which the key takes up to 512. */
const MAX_INDEXED_BYTES = 2000

function noteText({ long, tooLong }: RowFacts, number: number, text: string): void {
  if (text.length <= LONG_TEXT_LENGTH) return
  long.add(number)
  // UTF-8 takes at most three bytes for each UTF-16 code unit.
  if (3 * text.length > MAX_INDEXED_BYTES && Buffer.byteLength(text) > MAX_INDEXED_BYTES) {
    tooLong.add(number)
  }
}

/** Adds the row of an object to a buffer, without its version. */
export type RowEncoder = (object: StoredObject) => Steps<void>

/** Returns the function that encodes rows, and collects the terms and facts of objects. */
export function rowEncoder(
  fields: readonly FieldColumns[],
  vocabulary: Vocabulary,
  buffer: CopyBuffer,
  facts: RowFacts,
): RowEncoder {
  const start = rowStart(rowColumns(fields).length)
  const numberOf = new Map(fields.map((field) => [fieldKey(field), field.number]))
  const valueFields = valueFieldsOf(fields).map((field) => ({
    key: fieldKey(field),
    number: field.number,
    add: columnAdder(field.valueType ?? 'text'),
  }))
  const elementFields = elementFieldsOf(fields)
  const terms = new BatchTerms(vocabulary)

  const textsOf = ({ searchable }: StoredObject): NumberedTexts[] =>
    searchable.texts.map((text) => [numberOf.get(fieldKey(text)) ?? 0, text.values, text.language])

  const addTexts = ({ pk, objectId, key, title, body }: StoredObject): void => {
    buffer.addText(pk)
    buffer.addText(objectId)
    buffer.addText(key)
    if (title === null) buffer.addNull()
    else buffer.addText(title)
    buffer.addText(body)
  }

  const addTextCells = ({ words, lexemes }: TextCells): void => {
    if (words === undefined) buffer.addNull()
    else buffer.addText(words)
    if (lexemes === undefined) buffer.addNull()
    else buffer.addValue(lexemes)
  }

  const addChecksum = columnAdder('integer')

  const addValues = (object: StoredObject): void => {
    const { searchable } = object
    if (searchable.points.length === 0) buffer.addNull()
    else addBox(buffer, boundingBox(searchable.points))
    addChecksum(buffer, objectChecksum(object))
    for (const field of valueFields) {
      const value = columnValue(searchable.columns, field.key)
      if (value === undefined) buffer.addNull()
      else field.add(buffer, value)
      if (typeof value === 'string') noteText(facts, field.number, value)
    }
    if (elementFields.length > 0) addElements(searchable)
  }

  const addElements = ({ elements }: SearchableValues): void => {
    const elementsOf = new Map(elements.map((element) => [fieldKey(element), element.values]))
    for (const field of elementFields) {
      const values = elementsOf.get(fieldKey(field))
      if (values === undefined) buffer.addNull()
      else addArray(buffer, field.elementType ?? 'text', values)
      for (const value of values ?? []) {
        if (typeof value === 'string') noteText(facts, field.number, value)
      }
    }
  }

  return function* (object) {
    buffer.addBytes(start)
    facts.maxRecordBytes = Math.max(facts.maxRecordBytes, recordBytes(object))
    const isLong = isLongObject(object)
    const cells = isLong
      ? yield* longTextCells(textsOf(object), vocabulary)
      : terms.cellsOf(textsOf(object))
    if (isLong) yield
    addTexts(object)
    if (isLong) yield
    addTextCells(cells)
    if (isLong) yield
    addValues(object)
  }
}

/** Returns the bytes that every row begins with: the number of its values, and its versions. */
function rowStart(columnCount: number): Uint8Array {
  const buffer = new CopyBuffer()
  const addVersion = columnAdder('bigint')
  buffer.addInt16(columnCount)
  addVersion(buffer, UNKNOWN_VERSION)
  addVersion(buffer, NEVER_CLOSED)
  return buffer.bytes()
}

function boundingBox(points: SearchableValues['points']): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { longitude, latitude } of points) {
    west = Math.min(west, longitude)
    east = Math.max(east, longitude)
    south = Math.min(south, latitude)
    north = Math.max(north, latitude)
  }
  return { west, south, east, north }
}
