import type { DatabaseSync } from 'node:sqlite'
import type { StoredObject } from '../../ontology/read-object.ts'
import { columnOf, readFieldNumbers } from './field-numbers.ts'
import { objectTable } from './object-table.ts'
import { textColumns } from './text-index.ts'

/** Writes a row and what queries find it by. */
export function rowWriter(
  db: DatabaseSync,
  id: number,
): (object: StoredObject, version: number) => void {
  const table = objectTable(id)
  const numbers = readFieldNumbers(db, id)
  const columns = numbers.properties.map(({ number }) => columnOf(number))
  const addRow = db.prepare(
    `INSERT INTO ${table} (${['pk, valid_from, object_id, key, title, body', ...columns].join(', ')})
     VALUES (${['?, ?, ?, ?, ?, ?', ...columns.map(() => '?')].join(', ')})`,
  )
  const addElement = db.prepare(
    `INSERT OR IGNORE INTO ${table}_element (field, value, row) VALUES (?, ?, ?)`,
  )
  const addText = db.prepare(
    `INSERT INTO ${table}_text (rowid, by_field, anywhere) VALUES (?, ?, ?)`,
  )
  const addPoint = db.prepare(
    `INSERT INTO ${table}_point
       (min_longitude, max_longitude, min_latitude, max_latitude, row, longitude, latitude)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )

  return ({ pk, objectId, key, title, body, searchable }, version) => {
    const values = numbers.properties.map(
      ({ property }) => searchable.columns.get(property) ?? null,
    )
    const { lastInsertRowid } = addRow.run(pk, version, objectId, key, title, body, ...values)
    const row = Number(lastInsertRowid)
    for (const element of searchable.elements) {
      addElement.run(numbers.of(element), element.value, row)
    }
    if (searchable.texts.length > 0) addText.run(row, ...textColumns(searchable.texts, numbers))
    for (const { longitude, latitude } of searchable.points) {
      addPoint.run(longitude, longitude, latitude, latitude, row, longitude, latitude)
    }
  }
}
