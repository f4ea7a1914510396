/** Writes rows with COPY in its text format, the fastest way to load data into PostgreSQL. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import { columnOf } from '../../sql/field-numbers.ts'
import type { NumberedTexts } from '../../sql/text-index.ts'
import { arrayText, columnText } from '../catalogue/column-codec.ts'
import { elementColumnOf, type FieldColumns } from '../catalogue/field-columns.ts'
import { objectTable } from '../catalogue/object-table.ts'
import {
  elementFieldsOf,
  type TableLayout,
  termRulesOf,
  valueFieldsOf,
} from '../catalogue/table-layout.ts'
import type { WriteSession } from '../driver/database.ts'
import { BatchTerms } from '../text/batch-terms.ts'
import { Vocabulary } from '../text/vocabulary.ts'
import { longTextCells, type TextCells } from '../text/word-cells.ts'

/** Characters per write to the connection. Producing them takes at most a millisecond. */
const CHUNK_LENGTH = 16 * 1024
/** Texts of objects with a longer body are split into terms in several turns. */
const LONG_BODY = 64 * 1024

const COLUMNS = [
  'pk',
  'valid_from',
  'object_id',
  'key',
  'title',
  'body',
  'words',
  'lexemes',
  'places',
  'area',
]

export interface RowTarget {
  readonly table: TableLayout & { readonly id: number }
  /** The version of all rows, or of each one. */
  readonly version: number | ((object: StoredObject) => number)
  readonly fields: readonly FieldColumns[]
}

/** Adds a row for each object, and the terms of the objects to the vocabulary. */
export async function copyRows(
  session: WriteSession,
  objects: readonly StoredObject[],
  target: RowTarget,
): Promise<void> {
  if (objects.length === 0) return
  const vocabulary = new Vocabulary()
  const count = await session.copyIn(
    `COPY ${objectTable(target.table.id)} (${columnsOf(target).join(', ')}) FROM STDIN`,
    chunksOf(objects, rowWriter(target, vocabulary)),
  )
  if (count !== objects.length) throw new Error(`wrote ${count} of ${objects.length} rows`)
  await vocabulary.save(session)
}

function columnsOf({ table, fields }: RowTarget): string[] {
  return [
    ...COLUMNS,
    ...valueFieldsOf(fields, table).map(({ number }) => columnOf(number)),
    ...elementFieldsOf(fields).map(({ number }) => elementColumnOf(number)),
  ]
}

/** Yields lines in chunks. The session gives each chunk its own turn of the event loop. */
async function* chunksOf(
  objects: readonly StoredObject[],
  { wordsOf, longWordsOf, textOf }: RowWriter,
): AsyncGenerator<string> {
  let chunk = ''
  for (const object of objects) {
    const isLong = object.body.length > LONG_BODY
    const words = isLong ? await longWordsOf(object) : wordsOf(object)
    if (isLong) await nextTurn()
    chunk += textOf(object, words)
    if (isLong) await nextTurn()
    while (chunk.length >= CHUNK_LENGTH) {
      const end = endOfChunk(chunk)
      yield chunk.slice(0, end)
      chunk = chunk.slice(end)
    }
  }
  yield chunk
}

/** A chunk becomes bytes by itself, so it must not end within a surrogate pair. */
function endOfChunk(text: string): number {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(CHUNK_LENGTH - 1))
  return isHalf ? CHUNK_LENGTH - 1 : CHUNK_LENGTH
}

interface RowWriter {
  readonly wordsOf: (object: StoredObject) => TextCells
  readonly longWordsOf: (object: StoredObject) => Promise<TextCells>
  /** The line of an object. */
  readonly textOf: (object: StoredObject, words: TextCells) => string
}

const NULL = '\\N'

function rowWriter({ table, version, fields }: RowTarget, vocabulary: Vocabulary): RowWriter {
  const numberOf = new Map(fields.map((field) => [keyOf(field), field.number]))
  const valueFields = valueFieldsOf(fields, table)
  const elementFields = elementFieldsOf(fields)
  const rules = termRulesOf(table.layout)
  const terms = new BatchTerms(vocabulary, rules)

  const textsOf = ({ searchable }: StoredObject): NumberedTexts[] =>
    searchable.texts.map((text) => [numberOf.get(keyOf(text)) ?? 0, text.values])

  const textOf = (object: StoredObject, { words, lexemes }: TextCells): string => {
    const { pk, objectId, key, title, body, searchable } = object
    const { columns, elements, points } = searchable
    const places = points.flatMap(({ longitude, latitude }) => [longitude, latitude])
    const elementsOf = new Map(elements.map((element) => [keyOf(element), element.values]))
    const cells = [
      escaped(pk),
      String(typeof version === 'number' ? version : version(object)),
      objectId,
      escaped(key),
      title === null ? NULL : escaped(title),
      escaped(body),
      words ?? NULL,
      lexemes ?? NULL,
      places.length === 0 ? NULL : `{${places.join(',')}}`,
      places.length === 0 ? NULL : boxText(points),
      ...valueFields.map(({ property, valueType }) => {
        const value = columns.get(property)
        return value === undefined ? NULL : escaped(columnText(valueType ?? 'text', value))
      }),
      ...elementFields.map((field) => {
        const values = elementsOf.get(keyOf(field))
        return values === undefined ? NULL : escaped(arrayText(field.elementType ?? 'text', values))
      }),
    ]
    return `${cells.join('\t')}\n`
  }

  return {
    textOf,
    wordsOf: (object) => terms.cellsOf(textsOf(object)),
    longWordsOf: (object) => longTextCells(textsOf(object), { rules, vocabulary, nextTurn }),
  }
}

function keyOf({ property, structField }: FieldId): string {
  // API names contain no colon.
  return structField === undefined ? property : `${property}:${structField}`
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
