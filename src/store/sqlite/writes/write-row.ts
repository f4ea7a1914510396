/** Writes rows and their entries in the shared indexes. */
import { columnOf } from '../../sql/field-numbers.ts'
import type { NumberedTexts } from '../../sql/text-index.ts'
import { readFieldNumbers } from '../catalogue/field-numbers.ts'
import { objectTable } from '../catalogue/object-table.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { fieldOf, type PropertyColumns, type PutMessage } from '../threads/change-message.ts'

/** Writes rows within one transaction. */
export interface RowWriter {
  readonly add: (put: PutMessage, version: number) => void
  /** Saves the last row number. Must be called once, at the end. */
  readonly finish: () => void
}

export interface RowTarget {
  readonly typeId: number
  readonly table: number
  readonly columns: PropertyColumns
}

export function rowWriter(db: WriterDatabase, target: RowTarget): RowWriter {
  const { typeId, table, columns } = target
  const numbers = readFieldNumbers(db, typeId)
  const fieldNumbers = columns.properties.map((property) =>
    numbers.of({ property, structField: undefined }),
  )
  const names = fieldNumbers.map(columnOf)
  const textColumns = columns.texts.map((index) => [index, fieldNumbers[index] ?? 0] as const)
  let row = Number(db.cached('SELECT last_row FROM catalogue').get()?.['last_row'])
  const addRow = db.cached(
    `INSERT INTO ${objectTable(table)}
       (${['id, pk, valid_from, object_id, key, title, body', ...names].join(', ')})
     VALUES (${['?, ?, ?, ?, ?, ?, ?', ...names.map(() => '?')].join(', ')})`,
  )
  const addElement = db.cached('INSERT OR IGNORE INTO element (field, value, row) VALUES (?, ?, ?)')
  // The bytes are the text itself, so the cast costs nothing.
  const addTerms = db.cached('INSERT INTO term (rowid, terms) VALUES (?, CAST(? AS TEXT))')
  const addPosition = db.cached(
    `INSERT INTO place
       (min_longitude, max_longitude, min_latitude, max_latitude, row, longitude, latitude)
     VALUES (?1, ?1, ?2, ?2, ?3, ?1, ?2)`,
  )
  const addPositionOfRow = db.cached('INSERT INTO place_of_row (row, place) VALUES (?, ?)')

  const textsOf = ([, , , , , values, , texts]: PutMessage): NumberedTexts[] => {
    const numbered: NumberedTexts[] = []
    for (const [index, field] of textColumns) {
      const value = values[index]
      if (typeof value === 'string') numbered.push([field, [value]])
    }
    for (const text of texts) numbered.push([numbers.of(fieldOf(text)), text[2]])
    return numbered
  }

  const cut = (put: PutMessage): Uint8Array => db.terms.cut(textsOf(put))

  const add = (put: PutMessage, version: number) => {
    const [pk, objectId, key, title, body, values, elements, , points, cutTerms] = put
    row += 1
    addRow.run(row, pk, version, objectId, key, title, body, ...values)
    for (const element of elements) {
      const field = numbers.of(fieldOf(element))
      for (const value of element[2]) addElement.run(field, value, row)
    }
    const terms = cutTerms ?? cut(put)
    if (terms.length > 0) addTerms.run(row, terms)
    for (let at = 0; at < points.length; at += 2) {
      const { lastInsertRowid } = addPosition.run(points[at] ?? 0, points[at + 1] ?? 0, row)
      addPositionOfRow.run(row, lastInsertRowid)
    }
  }
  return { add, finish: () => db.cached('UPDATE catalogue SET last_row = ?').run(row) }
}
