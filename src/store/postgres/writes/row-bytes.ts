/** Rows in the binary format of COPY. Their version is known last, and is at a fixed offset. */

import type { Steps } from '../../../ontology/steps.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { fieldKey, type SearchableValues } from '../../../ontology/values/searchable-values.ts'
import { objectChecksum } from '../../object-checksum.ts'
import { columnOf } from '../../sql/compile/field-numbers.ts'
import type { NumberedTexts } from '../../sql/text/text-index.ts'
import { addArray, addBox, type Box, columnAdder } from '../catalogue/column-bytes.ts'
import { elementColumnOf, type FieldColumns } from '../catalogue/field-columns.ts'
import { elementFieldsOf, valueFieldsOf } from '../catalogue/table-layout.ts'
import type { CopyBuffer } from '../driver/copy-buffer.ts'
import { BatchTerms } from '../text/batch-terms.ts'
import { longTextCells, type TextCells } from '../text/lexemes.ts'
import type { Vocabulary } from '../text/save-terms.ts'

/** Texts of objects with a longer body are split into terms in steps. */
const LONG_BODY = 64 * 1024

const VERSION_COLUMN = 'valid_from'
const TEXT_COLUMNS = ['pk', 'object_id', 'key', 'title', 'body', 'words'] as const
const OTHER_COLUMNS = ['lexemes', 'area', 'checksum'] as const

/** Returns the columns that a row has values for, the version first. */
export function rowColumns(fields: readonly FieldColumns[]): string[] {
  return [
    VERSION_COLUMN,
    ...TEXT_COLUMNS,
    ...OTHER_COLUMNS,
    ...valueFieldsOf(fields).map(({ number }) => columnOf(number)),
    ...elementFieldsOf(fields).map(({ number }) => elementColumnOf(number)),
  ]
}

/** Stands for the version of a row until it is known. */
export const UNKNOWN_VERSION = 0
/** The bytes before the version of a row: the number of its values, and the length of a bigint. */
const VERSION_OFFSET = 6
const VERSION_BYTES = 8

/** Starts a row with the number of its values, and its version. */
export function addRowStart(buffer: CopyBuffer, columns: number, version: number): void {
  buffer.addInt16(columns)
  columnAdder('bigint')(buffer, version)
}

/** A row among others that a thread has encoded. */
export interface EncodedRow {
  readonly rows: Uint8Array
  readonly start: number
  readonly end: number
}

/** Returns the function that sets the version of rows. */
export function versionSetter(version: number): (row: EncodedRow) => void {
  const bytes = Buffer.alloc(VERSION_BYTES)
  bytes.writeBigInt64BE(BigInt(version))
  return ({ rows, start }) => rows.set(bytes, start + VERSION_OFFSET)
}

/** Returns whether the object is so large that writing its row would block other requests. */
export function isLongObject({ body }: StoredObject): boolean {
  return body.length > LONG_BODY
}

/** Adds the values of an object to a buffer, after the start of its row. */
type RowWriter = (object: StoredObject) => Steps<void>

/** Returns the function that writes rows, and adds the terms of objects to the vocabulary. */
export function rowWriter(
  fields: readonly FieldColumns[],
  vocabulary: Vocabulary,
  buffer: CopyBuffer,
): RowWriter {
  const numberOf = new Map(fields.map((field) => [fieldKey(field), field.number]))
  const valueFields = valueFieldsOf(fields).map((field) => ({
    key: fieldKey(field),
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
      const value = searchable.columns.get(field.key)
      if (value === undefined) buffer.addNull()
      else field.add(buffer, value)
    }
    addElements(buffer, elementFields, searchable)
  }

  return function* (object) {
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

function addElements(
  buffer: CopyBuffer,
  elementFields: readonly FieldColumns[],
  { elements }: SearchableValues,
): void {
  if (elementFields.length === 0) return
  const elementsOf = new Map(elements.map((element) => [fieldKey(element), element.values]))
  for (const field of elementFields) {
    const values = elementsOf.get(fieldKey(field))
    if (values === undefined) buffer.addNull()
    else addArray(buffer, field.elementType ?? 'text', values)
  }
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
