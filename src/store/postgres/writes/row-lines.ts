/** The lines of rows in the text format of COPY, without their version, which is known last. */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import type { Steps } from '../../../ontology/values/steps.ts'
import { columnOf } from '../../sql/field-numbers.ts'
import type { NumberedTexts } from '../../sql/text-index.ts'
import { arrayText, columnText } from '../catalogue/column-codec.ts'
import { elementColumnOf, type FieldColumns } from '../catalogue/field-columns.ts'
import { elementFieldsOf, termRulesOf, valueFieldsOf } from '../catalogue/table-layout.ts'
import { BatchTerms } from '../text/batch-terms.ts'
import type { Vocabulary } from '../text/vocabulary.ts'
import { longTextCells, type TextCells } from '../text/word-cells.ts'

/** Texts of objects with a longer body are split into terms in steps. */
const LONG_BODY = 64 * 1024

const COLUMNS = 'valid_from, pk, object_id, key, title, body, words, lexemes, places, area'

/** The fields of a type, and the layout of the table that lines are for. */
export interface LineLayout {
  readonly fields: readonly FieldColumns[]
  readonly layout: number
}

/** Returns the columns that a line has values for, the version first. */
export function lineColumns({ fields, layout }: LineLayout): string {
  return [
    COLUMNS,
    ...valueFieldsOf(fields, { layout }).map(({ number }) => columnOf(number)),
    ...elementFieldsOf(fields).map(({ number }) => elementColumnOf(number)),
  ].join(', ')
}

/** Returns whether the object is so large that writing its line would block other requests. */
export function isLongObject({ body }: StoredObject): boolean {
  return body.length > LONG_BODY
}

/** Returns the line of an object, which follows its version and a tab. */
export type LineWriter = (object: StoredObject) => Steps<string>

const NULL = '\\N'

/** Returns the function that writes lines, and adds the terms of objects to the vocabulary. */
export function lineWriter({ fields, layout }: LineLayout, vocabulary: Vocabulary): LineWriter {
  const numberOf = new Map(fields.map((field) => [fieldKey(field), field.number]))
  const valueFields = valueFieldsOf(fields, { layout })
  const elementFields = elementFieldsOf(fields)
  const rules = termRulesOf(layout)
  const terms = new BatchTerms(vocabulary, rules)

  const textsOf = ({ searchable }: StoredObject): NumberedTexts[] =>
    searchable.texts.map((text) => [numberOf.get(fieldKey(text)) ?? 0, text.values, text.language])

  const lineOf = (object: StoredObject, { words, lexemes }: TextCells): string => {
    const { pk, objectId, key, title, body, searchable } = object
    const { columns, elements, points } = searchable
    const places = points.flatMap(({ longitude, latitude }) => [longitude, latitude])
    const elementsOf = new Map(elements.map((element) => [fieldKey(element), element.values]))
    const cells = [
      escaped(pk),
      objectId,
      escaped(key),
      title === null ? NULL : escaped(title),
      escaped(body),
      words ?? NULL,
      lexemes ?? NULL,
      places.length === 0 ? NULL : `{${places.join(',')}}`,
      places.length === 0 ? NULL : boxText(points),
      ...valueFields.map((field) => {
        const value = columns.get(fieldKey(field))
        return value === undefined ? NULL : escaped(columnText(field.valueType ?? 'text', value))
      }),
      ...elementFields.map((field) => {
        const key = fieldKey(field)
        const values = elementsOf.get(key) ?? onlyValue(field, columns.get(key))
        return values === undefined ? NULL : escaped(arrayText(field.elementType ?? 'text', values))
      }),
    ]
    return `${cells.join('\t')}\n`
  }

  return function* (object) {
    if (!isLongObject(object)) return lineOf(object, terms.cellsOf(textsOf(object)))
    const cells = yield* longTextCells(textsOf(object), { rules, vocabulary })
    yield
    return lineOf(object, cells)
  }
}

/** Returns the value of a struct field that an earlier release numbered, as an array. */
function onlyValue({ structField }: FieldId, value: ColumnValue | undefined) {
  return structField === undefined || value === undefined ? undefined : [value]
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

/** Returns the body of the object of a line. */
export function bodyOfLine(line: Uint8Array): string {
  const [, , , , body = ''] = Buffer.from(line).toString('utf8').split('\t', 5)
  return body.replaceAll(/\\(.)/g, (_, sign: string) => UNESCAPED[sign] ?? sign)
}

const UNESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' }
