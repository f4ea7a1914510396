/** Writes rows and their entries in the shared indexes. */

import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import { indexPrefixes } from '../../core/catalogue/build-table.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { runNow } from '../../core/session/session.ts'
import { LONG_TEXT_LENGTH, microsecondsOf } from '../../sql/compile/property-sql.ts'
import type { NumberedTexts } from '../../sql/text/text-index.ts'
import { buildingIn } from '../catalogue/object-table.ts'
import { fieldsOfTable } from '../catalogue/table-fields.ts'
import { storedColumn } from '../catalogue/table-indexes.ts'
import {
  columnsOf,
  fieldOf,
  type PropertyColumns,
  type PutMessage,
  putEncoder,
  TERMS,
} from '../changes/change-message.ts'
import type { WriterDatabase } from '../file/writer-database.ts'

/** Writes rows within one transaction. */
export interface RowWriter {
  /** Adds a row; without array elements if it is given the number of a row that has them. */
  readonly add: (put: PutMessage, version: number, reserved?: number) => void
  /** Returns the number of a row that is added later, after its array elements. */
  readonly reserve: () => number
  /** Adds some array elements to a row, and returns how many of all of them it then has. */
  readonly addElements: (put: PutMessage, row: number, from: number, count: number) => number
  /** Writes the waiting terms, and replaces indexes. Must be called once, at the end. */
  readonly finish: () => void
}

export interface RowTarget {
  readonly typeId: number
  readonly table: number
  readonly columns: PropertyColumns
}

/**
 * Rows whose terms are written together, after all of them. Alternating between a row and its terms
 * takes a tenth more time, because each evicts the other from the caches of the processor.
 */
const WAITING_TERMS = 1000

/** Numbers are bound as doubles, which take eight bytes; most whole numbers take one or two. */
function valueSql({ wholes }: PropertyColumns, index: number): string {
  return wholes.includes(index) ? 'CAST(? AS INTEGER)' : '?'
}

export function rowWriter(db: WriterDatabase, target: RowTarget): RowWriter {
  const { typeId, table, columns } = target
  const numbers = fieldsOfTable(db, { typeId, id: table })
  const { fields } = columns
  const fieldNumbers = fields.map((field) => numbers.of(field))
  const isStored = fields.map((field) => {
    const { valueType, isKey } = numbers.find(field)
    return valueType !== undefined && !isKey && !numbers.isInBody(field)
  })
  // Only so many struct fields of a store have a column.
  const elementColumns = fields.flatMap((field, index) => (numbers.hasColumn(field) ? [] : [index]))
  const stored = fields.flatMap(({ property, structField }, index) => {
    if (!isStored[index]) return []
    const sql = numbers.propertySql(property, structField)
    const isTime = sql.form === 'time'
    return [{ index, isTime, name: storedColumn(sql), value: valueSql(columns, index) }]
  })
  // Columns whose index holds whole texts, as long as these are short.
  const shortTexts = columns.texts.filter(isShortText)
  const firstLongTexts = new Set<number>()
  const textColumns = columns.texts.map((index) => {
    const language = columns.languages.get(columns.fields[index]?.property ?? '')
    return [index, fieldNumbers[index] ?? 0, language] as const
  })
  let row = Number(db.cached('SELECT last_row FROM oqs_catalogue').get()?.[0])
  const addRow = db.cached(
    `INSERT INTO ${objectTable(table)}
       (${['id, pk, valid_from, object_id, key, title, body, checksum', ...stored.map(({ name }) => name)].join(', ')})
     VALUES (${['?, ?, ?, ?, ?, ?, ?, ?', ...stored.map(({ value }) => value)].join(', ')})`,
  )
  const addElement = db.cached(
    'INSERT OR IGNORE INTO oqs_element (field, value, row) VALUES (?, ?, ?)',
  )
  // The bytes are the text itself, so the cast costs nothing.
  const addTerms = db.cached(
    'INSERT INTO oqs_term_index (rowid, terms) VALUES (?, CAST(? AS TEXT))',
  )
  const addPosition = db.cached(
    `INSERT INTO oqs_place
       (min_longitude, max_longitude, min_latitude, max_latitude, row)
     VALUES (?1, ?1, ?2, ?2, ?3)`,
  )
  const addPositionOfRow = db.cached('INSERT INTO oqs_place_of_row (row, place) VALUES (?, ?)')

  function isShortText(index: number): boolean {
    const field = fields[index]
    return (
      field !== undefined &&
      isStored[index] === true &&
      numbers.isIndexed(field) &&
      !numbers.layout.prefixFields.has(fieldKey(field))
    )
  }

  const textsOf = ([, , , , , values, , texts]: PutMessage): NumberedTexts[] => {
    const numbered: NumberedTexts[] = []
    for (const [index, field, language] of textColumns) {
      const value = values[index]
      if (typeof value === 'string') numbered.push([field, [value], language])
    }
    for (const text of texts) {
      numbered.push([numbers.of(fieldOf(text)), text[2], columns.languages.get(text[0])])
    }
    return numbered
  }

  let waitingTerms: { readonly row: number; readonly terms: Uint8Array }[] = []
  const writeTerms = (row: number, terms: Uint8Array) => {
    if (terms.length > 0) addTerms.run(row, terms)
  }
  const writeWaitingTerms = () => {
    for (const { row, terms } of waitingTerms) writeTerms(row, terms)
    waitingTerms = []
  }

  const reserve = () => {
    row += 1
    return row
  }
  const addElements = (put: PutMessage, id: number, from: number, count: number): number => {
    const [, , , , , , elements] = put
    const to = from + count
    let first = 0
    for (const element of elements) {
      const [, , values] = element
      const field = numbers.of(fieldOf(element))
      const end = Math.min(to - first, values.length)
      for (let at = Math.max(0, from - first); at < end; at += 1) {
        addElement.run(field, values[at] ?? null, id)
      }
      first += values.length
    }
    return Math.min(to, first)
  }
  const add = (put: PutMessage, version: number, reserved?: number) => {
    const [pk, objectId, key, title, body, values, , , points, , checksum] = put
    const row = reserved ?? reserve()
    const texts = [objectId, key, title, body]
    const cells: (ColumnValue | null)[] = [row, pk, version, ...texts, checksum]
    for (const { index, isTime } of stored) {
      const value = values[index] ?? null
      cells.push(isTime && value !== null ? microsecondsOf(String(value)) : value)
    }
    addRow.run(...cells)
    for (const index of elementColumns) {
      const value = values[index] ?? null
      if (value !== null) addElement.run(fieldNumbers[index] ?? 0, value, row)
    }
    for (const index of shortTexts) {
      const value = values[index]
      if (typeof value === 'string' && value.length > LONG_TEXT_LENGTH) firstLongTexts.add(index)
    }
    if (reserved === undefined) addElements(put, row, 0, Infinity)
    const cutTerms = put[TERMS]
    if (cutTerms === undefined) writeTerms(row, db.cutter.cut(textsOf(put)))
    else {
      waitingTerms.push({ row, terms: cutTerms })
      if (waitingTerms.length === WAITING_TERMS) writeWaitingTerms()
    }
    for (let at = 0; at < points.length; at += 2) {
      const { lastInsertRowid } = addPosition.run(points[at] ?? 0, points[at + 1] ?? 0, row)
      addPositionOfRow.run(row, lastInsertRowid)
    }
  }
  const finish = () => {
    writeWaitingTerms()
    db.cached('UPDATE oqs_catalogue SET last_row = ?').run(row)
    if (firstLongTexts.size === 0) return
    const longTexts = [...firstLongTexts].flatMap((index) => fields[index] ?? [])
    runNow(indexPrefixes(buildingIn(db), { typeId, id: table }, longTexts))
  }
  return { add, reserve, addElements, finish }
}

export interface WrittenObjects {
  readonly typeId: number
  readonly table: number
  /** The type by which the objects were read. */
  readonly type: ObjectType
  readonly version: number
}

/** Writes the rows of objects that the writer thread has read itself. */
export function writeObjects(
  db: WriterDatabase,
  { typeId, table, type, version }: WrittenObjects,
  objects: readonly StoredObject[],
): void {
  const columns = columnsOf(type)
  const encode = putEncoder(columns)
  const rows = rowWriter(db, { typeId, table, columns })
  for (const object of objects) rows.add(encode(object), version)
  rows.finish()
}
