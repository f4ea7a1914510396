/** Writes rows and their entries in the shared indexes. */
import type { DatabaseSync } from 'node:sqlite'
import { columnOf } from '../../sql/field-numbers.ts'
import { readFieldNumbers } from '../catalogue/field-numbers.ts'
import { objectTable } from '../catalogue/object-table.ts'
import { fieldOf, type PutMessage } from '../threads/change-message.ts'
import { indexedTerms } from './text-index.ts'

/** Writes rows within one transaction. */
export interface RowWriter {
  readonly add: (put: PutMessage, version: number) => void
  /** Saves the last row number. Must be called once, at the end. */
  readonly finish: () => void
}

export interface RowTarget {
  readonly typeId: number
  readonly table: number
  /** The properties of the type, in the order of the column values of a put. */
  readonly properties: readonly string[]
}

export function rowWriter(db: DatabaseSync, target: RowTarget): RowWriter {
  const { typeId, table, properties } = target
  const numbers = readFieldNumbers(db, typeId)
  const columns = properties.map((property) =>
    columnOf(numbers.of({ property, structField: undefined })),
  )
  let row = Number(db.prepare('SELECT last_row FROM catalogue').get()?.['last_row'])
  const addRow = db.prepare(
    `INSERT INTO ${objectTable(table)}
       (${['id, pk, valid_from, object_id, key, title, body', ...columns].join(', ')})
     VALUES (${['?, ?, ?, ?, ?, ?, ?', ...columns.map(() => '?')].join(', ')})`,
  )
  const addElement = db.prepare(
    'INSERT OR IGNORE INTO element (field, value, row) VALUES (?, ?, ?)',
  )
  const addTerms = db.prepare('INSERT INTO term (rowid, terms) VALUES (?, ?)')
  const addPosition = db.prepare(
    `INSERT INTO place
       (min_longitude, max_longitude, min_latitude, max_latitude, row, longitude, latitude)
     VALUES (?1, ?1, ?2, ?2, ?3, ?1, ?2)`,
  )
  const addPositionOfRow = db.prepare('INSERT INTO place_of_row (row, place) VALUES (?, ?)')

  const add = (put: PutMessage, version: number) => {
    const [pk, objectId, key, title, body, values, elements, texts, points] = put
    row += 1
    addRow.run(row, pk, version, objectId, key, title, body, ...values)
    for (const element of elements) {
      const field = numbers.of(fieldOf(element))
      for (const value of element[2]) addElement.run(field, value, row)
    }
    if (texts.length > 0) addTerms.run(row, indexedTerms(texts, numbers))
    for (let at = 0; at < points.length; at += 2) {
      const { lastInsertRowid } = addPosition.run(points[at] ?? 0, points[at + 1] ?? 0, row)
      addPositionOfRow.run(row, lastInsertRowid)
    }
  }
  return { add, finish: () => db.prepare('UPDATE catalogue SET last_row = ?').run(row) }
}
