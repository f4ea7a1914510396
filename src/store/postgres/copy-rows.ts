import type { ColumnValue } from '../../ontology/column-value.ts'
import type { StoredObject } from '../../ontology/read-object.ts'
import type { FieldId } from '../../ontology/searchable-values.ts'
import { columnOf } from '../sql/field-numbers.ts'
import { indexedTerms, type NumberedTexts } from '../sql/text-index.ts'
import type { WriteSession } from './database.ts'
import { columnText, elementColumnOf, type FieldColumns } from './field-columns.ts'
import { distinctTerms, lexemesText } from './lexemes.ts'
import { objectTable } from './object-table.ts'
import { Vocabulary } from './vocabulary.ts'

/** Rows for COPY, in its text format: the fastest way in that PostgreSQL has. */

/** Characters that go to the connection at once. */
const CHUNK_LENGTH = 256 * 1024

const COLUMNS = 'pk, valid_from, object_id, key, title, body, words, lexemes, places, area'

export interface RowTarget {
  readonly table: number
  readonly version: number
  readonly fields: readonly FieldColumns[]
}

/** Adds a row for each object, and their terms to the vocabulary. */
export async function copyRows(
  session: WriteSession,
  objects: readonly StoredObject[],
  target: RowTarget,
): Promise<void> {
  if (objects.length === 0) return
  const vocabulary = new Vocabulary()
  const count = await session.copyIn(
    `COPY ${objectTable(target.table)} (${[COLUMNS, ...columnsOf(target.fields)].join(', ')})
     FROM STDIN`,
    chunksOf(objects, rowText(target, vocabulary)),
  )
  if (count !== objects.length) throw new Error(`wrote ${count} of ${objects.length} rows`)
  await vocabulary.save(session)
}

function columnsOf(fields: readonly FieldColumns[]): string[] {
  return [
    ...fields.filter(hasValue).map(({ number }) => columnOf(number)),
    ...fields.filter(hasElements).map(({ number }) => elementColumnOf(number)),
  ]
}

const hasValue = ({ valueType }: FieldColumns) => valueType !== undefined
const hasElements = ({ elementType }: FieldColumns) => elementType !== undefined

function* chunksOf(
  objects: readonly StoredObject[],
  textOf: (object: StoredObject) => string,
): Generator<string> {
  let chunk = ''
  for (const object of objects) {
    chunk += textOf(object)
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

const NULL = '\\N'

/** Makes the line of an object. */
function rowText({ version, fields }: RowTarget, vocabulary: Vocabulary) {
  const numberOf = new Map(fields.map((field) => [keyOf(field), field.number]))
  const valueFields = fields.filter(hasValue)
  const elementFields = fields.filter(hasElements)

  return ({ pk, objectId, key, title, body, searchable }: StoredObject): string => {
    const { columns, elements, texts, points } = searchable
    const places = points.flatMap(({ longitude, latitude }) => [longitude, latitude])
    const elementsOf = new Map(elements.map((element) => [keyOf(element), element.values]))
    const cells = [
      escaped(pk),
      String(version),
      objectId,
      escaped(key),
      title === null ? NULL : escaped(title),
      escaped(body),
      ...wordCells(texts.map((text) => [numberOf.get(keyOf(text)) ?? 0, text.values])),
      places.length === 0 ? NULL : `{${places.join(',')}}`,
      places.length === 0 ? NULL : boxText(points),
      ...valueFields.map(({ property, valueType }) => {
        const value = columns.get(property)
        return value === undefined ? NULL : escaped(columnText(valueType ?? 'text', value))
      }),
      ...elementFields.map((field) => {
        const values = elementsOf.get(keyOf(field))
        return values === undefined ? NULL : escaped(arrayText(field, values))
      }),
    ]
    return `${cells.join('\t')}\n`
  }

  function wordCells(texts: readonly NumberedTexts[]): [string, string] {
    if (texts.length === 0) return [NULL, NULL]
    const words = indexedTerms(texts)
    const terms = distinctTerms(words)
    vocabulary.add(terms)
    return [` ${words} `, lexemesText(terms) ?? NULL]
  }
}

function keyOf({ property, structField }: FieldId): string {
  // API names hold no colon.
  return structField === undefined ? property : `${property}:${structField}`
}

function arrayText({ elementType = 'text' }: FieldColumns, values: readonly ColumnValue[]): string {
  const texts = values.map((value) => columnText(elementType, value))
  if (elementType !== 'text') return `{${texts.join(',')}}`
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}

function boxText(points: readonly { readonly longitude: number; readonly latitude: number }[]) {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { longitude, latitude } of points) {
    west = Math.min(west, longitude)
    east = Math.max(east, longitude)
    south = Math.min(south, latitude)
    north = Math.max(north, latitude)
  }
  return `(${east},${north}),(${west},${south})`
}

const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text
  return text.replaceAll(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? sign)
}
