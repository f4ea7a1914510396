/** Writes rows and their entries in the shared indexes. */
import { LONG_TEXT_LENGTH } from '../../sql/long-text.ts'
import type { NumberedTexts } from '../../sql/text-index.ts'
import { readFieldsOfTable } from '../catalogue/field-numbers.ts'
import { addLongTexts, columnName } from '../catalogue/table-indexes.ts'
import { NEW_TABLE_RULES, readTableLayout, termRulesOf } from '../catalogue/table-layout.ts'
import { objectTable } from '../catalogue/table-name.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { fieldOf, type PropertyColumns, type PutMessage, TERMS } from '../threads/change-message.ts'

/** Writes rows within one transaction. */
export interface RowWriter {
  readonly add: (put: PutMessage, version: number) => void
  /** Saves the last row number, and replaces indexes. Must be called once, at the end. */
  readonly finish: () => void
}

export interface RowTarget {
  readonly typeId: number
  readonly table: number
  readonly columns: PropertyColumns
}

/** Numbers are bound as doubles, which take eight bytes; most whole numbers take one or two. */
function valueSql({ wholes }: PropertyColumns, index: number): string {
  return wholes.includes(index) ? 'CAST(? AS INTEGER)' : '?'
}

export function rowWriter(db: WriterDatabase, target: RowTarget): RowWriter {
  const { typeId, table, columns } = target
  const layout = readTableLayout(db.reusing, table)
  const numbers = readFieldsOfTable(db.reusing, { typeId, id: table }, layout)
  const fieldNumbers = columns.properties.map((property) =>
    numbers.of({ property, structField: undefined }),
  )
  const { keyProperty = '' } = layout
  const keyColumn = columns.properties.indexOf(keyProperty)
  const stored = columns.properties.flatMap((property, index) =>
    property === keyProperty
      ? []
      : [{ name: columnName(numbers.propertySql(property)), value: valueSql(columns, index) }],
  )
  // Columns whose index holds whole texts, as long as these are short.
  const shortTexts = layout.number === 1 ? [] : columns.texts.filter(isShortText)
  const firstLongTexts = new Set<number>()
  const cutter = db.cutters[termRulesOf(layout)]
  const textColumns = columns.texts.map((index) => [index, fieldNumbers[index] ?? 0] as const)
  let row = Number(db.cached('SELECT last_row FROM catalogue').get()?.['last_row'])
  const addRow = db.cached(
    `INSERT INTO ${objectTable(table)}
       (${['id, pk, valid_from, object_id, key, title, body', ...stored.map(({ name }) => name)].join(', ')})
     VALUES (${['?, ?, ?, ?, ?, ?, ?', ...stored.map(({ value }) => value)].join(', ')})`,
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

  function isShortText(index: number): boolean {
    return index !== keyColumn && !layout.longTexts.has(columns.properties[index] ?? '')
  }

  const textsOf = ([, , , , , values, , texts]: PutMessage): NumberedTexts[] => {
    const numbered: NumberedTexts[] = []
    for (const [index, field] of textColumns) {
      const value = values[index]
      if (typeof value === 'string') numbered.push([field, [value]])
    }
    for (const text of texts) numbered.push([numbers.of(fieldOf(text)), text[2]])
    return numbered
  }

  // Terms that arrive cut follow the rules of new tables.
  const usesCutTerms = termRulesOf(layout) === NEW_TABLE_RULES
  const termsOf = (put: PutMessage): Uint8Array =>
    (usesCutTerms ? put[TERMS] : undefined) ?? cutter.cut(textsOf(put))

  const add = (put: PutMessage, version: number) => {
    const [pk, objectId, key, title, body, values, elements, , points] = put
    row += 1
    const others = keyColumn === -1 ? values : values.toSpliced(keyColumn, 1)
    addRow.run(row, pk, version, objectId, key, title, body, ...others)
    for (const index of shortTexts) {
      const value = values[index]
      if (typeof value === 'string' && value.length > LONG_TEXT_LENGTH) firstLongTexts.add(index)
    }
    for (const element of elements) {
      const field = numbers.of(fieldOf(element))
      for (const value of element[2]) addElement.run(field, value, row)
    }
    const terms = termsOf(put)
    if (terms.length > 0) addTerms.run(row, terms)
    for (let at = 0; at < points.length; at += 2) {
      const { lastInsertRowid } = addPosition.run(points[at] ?? 0, points[at + 1] ?? 0, row)
      addPositionOfRow.run(row, lastInsertRowid)
    }
  }
  const finish = () => {
    db.cached('UPDATE catalogue SET last_row = ?').run(row)
    if (firstLongTexts.size === 0) return
    addLongTexts(
      db,
      target,
      [...firstLongTexts].map((index) => columns.properties[index] ?? ''),
    )
  }
  return { add, finish }
}
