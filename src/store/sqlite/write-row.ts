import type { DatabaseSync } from 'node:sqlite'
import type { StoredObject } from '../../ontology/read-object.ts'
import { columnOf, readFieldNumbers } from './field-numbers.ts'
import { objectTable } from './object-table.ts'
import { indexedTerms } from './text-index.ts'

/** Writes rows, and what queries find them by, within one transaction. */
export interface RowWriter {
  readonly add: (object: StoredObject, version: number) => void
  /** Notes the numbers that were used; to be called once, at the end. */
  readonly finish: () => void
}

export function rowWriter(db: DatabaseSync, typeId: number, table: number): RowWriter {
  const numbers = readFieldNumbers(db, typeId)
  const columns = numbers.properties.map(({ number }) => columnOf(number))
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
  const addPlace = db.prepare(
    `INSERT INTO place
       (min_longitude, max_longitude, min_latitude, max_latitude, row, longitude, latitude)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const addPlaceOfRow = db.prepare('INSERT INTO place_of_row (row, place) VALUES (?, ?)')

  const add = ({ pk, objectId, key, title, body, searchable }: StoredObject, version: number) => {
    row += 1
    const values = numbers.properties.map(
      ({ property }) => searchable.columns.get(property) ?? null,
    )
    addRow.run(row, pk, version, objectId, key, title, body, ...values)
    for (const element of searchable.elements) {
      addElement.run(numbers.of(element), element.value, row)
    }
    if (searchable.texts.length > 0) addTerms.run(row, indexedTerms(searchable.texts, numbers))
    for (const { longitude, latitude } of searchable.points) {
      const { lastInsertRowid } = addPlace.run(
        longitude,
        longitude,
        latitude,
        latitude,
        row,
        longitude,
        latitude,
      )
      addPlaceOfRow.run(row, lastInsertRowid)
    }
  }
  return { add, finish: () => db.prepare('UPDATE catalogue SET last_row = ?').run(row) }
}
