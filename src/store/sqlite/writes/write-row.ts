/** Writes rows. */

import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import {
  indexPrefixes,
  readBuiltTable,
  type TableOfType,
} from '../../core/catalogue/build-table.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { runNow } from '../../core/session/session.ts'
import { LONG_TEXT_LENGTH, microsecondsOf } from '../../sql/compile/property-sql.ts'
import { buildingIn } from '../catalogue/object-table.ts'
import { fieldsOfTable, type TableFields } from '../catalogue/table-fields.ts'
import { storedColumn } from '../catalogue/table-indexes.ts'
import {
  columnsOf,
  type PropertyColumns,
  type PutMessage,
  toPutMessage,
} from '../changes/change-message.ts'
import { type ArrayStatement, runIn } from '../file/sqlite-session.ts'
import type { WriterDatabase } from '../file/writer-database.ts'

export interface RowTarget {
  readonly typeId: number
  readonly table: number
  readonly columns: PropertyColumns
}

/** A field with a column of its own. */
interface StoredColumn {
  readonly name: string
  /** The place of its value in a put. */
  readonly index: number
  /** Timestamps are stored as integers. */
  readonly isTime: boolean
  /** Whether its index holds whole texts, as long as these are short. */
  readonly isShortText: boolean
  readonly placeholder: string
}

/** How the rows of a table are written, as long as neither its fields nor their indexes change. */
export interface RowPlan {
  readonly table: TableOfType
  readonly fields: readonly FieldId[]
  readonly stored: readonly StoredColumn[]
  readonly insert: string
}

function planRows(db: WriterDatabase, { typeId, table, columns }: RowTarget): RowPlan {
  const { fields } = columns
  const numbers = fieldsOfTable(db, { typeId, id: table })
  const stored = fields.flatMap((_, index) => storedColumnOf(numbers, columns, index))
  const names = [...ROW_COLUMNS, ...stored.map(({ name }) => name)].join(', ')
  const values = [...ROW_COLUMNS.map(() => '?'), ...stored.map(({ placeholder }) => placeholder)]
  const insert = `INSERT INTO ${objectTable(table)} (${names}) VALUES (${values.join(', ')})`
  return { table: { typeId, id: table }, fields, stored, insert }
}

/**
 * Returns the plan of a table for the changes of clients. To make one costs as much as writing a
 * row, so that plans are kept by everything that they depend on. A transaction that changes a
 * definition must not use it: if it is rolled back, the next one gets the same generation.
 */
export function planOfChanges(db: WriterDatabase, target: RowTarget): RowPlan {
  const { typeId, table, columns } = target
  const { prefixFields, unindexedFields } = runIn(db, (session) => readBuiltTable(session, table))
  const [generation] = db.cached('SELECT generation FROM oqs_catalogue').get() ?? []
  const indexes = [...prefixFields, '', ...unindexedFields.keys(), '']
  const key = [generation, typeId, table, ...indexes, ...columns.fields.map(fieldKey)].join(' ')
  const plan = (db.rowPlans.get(key) as RowPlan | undefined) ?? planRows(db, target)
  db.rowPlans.set(key, plan)
  return plan
}

/** Writes rows within one transaction. */
export class RowWriter {
  readonly #db: WriterDatabase
  readonly #plan: RowPlan
  readonly #firstLongTexts = new Set<number>()
  readonly #addRow: ArrayStatement
  #lastRow: number

  constructor(db: WriterDatabase, plan: RowPlan) {
    this.#db = db
    this.#plan = plan
    this.#lastRow = Number(db.cached('SELECT last_row FROM oqs_catalogue').get()?.[0])
    this.#addRow = db.cached(plan.insert)
  }

  /** Adds a row. */
  add(put: PutMessage, version: number): void {
    const [pk, objectId, key, title, body, values, checksum] = put
    this.#lastRow += 1
    const [text, place] = typeof title === 'number' ? [null, title] : [title, null]
    const cells: (ColumnValue | null)[] = [
      this.#lastRow,
      pk,
      version,
      objectId,
      key,
      text,
      place,
      body,
      checksum,
    ]
    for (const { index, isTime, isShortText } of this.#plan.stored) {
      const value = values[index] ?? null
      cells.push(isTime && value !== null ? microsecondsOf(String(value)) : value)
      if (isShortText && typeof value === 'string' && value.length > LONG_TEXT_LENGTH) {
        this.#firstLongTexts.add(index)
      }
    }
    this.#addRow.run(...cells)
  }

  /** Saves the number of the last row, and replaces indexes. Must be called once, at the end. */
  finish(): void {
    this.#db.cached('UPDATE oqs_catalogue SET last_row = ?').run(this.#lastRow)
    if (this.#firstLongTexts.size === 0) return
    const { table, fields } = this.#plan
    const longTexts = [...this.#firstLongTexts].flatMap((index) => fields[index] ?? [])
    runNow(indexPrefixes(buildingIn(this.#db), table, longTexts))
  }
}

/** The columns of every object table that a put fills. */
const ROW_COLUMNS = [
  'id',
  'pk',
  'valid_from',
  'object_id',
  'key',
  'title',
  'title_place',
  'body',
  'checksum',
] as const

/** Returns how a table stores a field with one value; nothing if it has no column of its own. */
function storedColumnOf(
  numbers: TableFields,
  { fields, texts, wholes }: PropertyColumns,
  index: number,
): StoredColumn[] {
  const field = fields[index]
  if (field === undefined) return []
  const { valueType, isKey } = numbers.find(field)
  if (valueType === undefined || isKey || numbers.isInBody(field)) return []
  const sql = numbers.propertySql(field.property, field.structField)
  const hasWholeIndex =
    numbers.isIndexed(field) && !numbers.layout.prefixFields.has(fieldKey(field))
  return [
    {
      index,
      name: storedColumn(sql),
      isTime: sql.form === 'time',
      isShortText: texts.includes(index) && hasWholeIndex,
      // Numbers are bound as doubles, which take eight bytes; most whole numbers take one or two.
      placeholder: wholes.includes(index) ? 'CAST(? AS INTEGER)' : '?',
    },
  ]
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
  const rows = new RowWriter(db, planRows(db, { typeId, table, columns: columnsOf(type) }))
  for (const object of objects) rows.add(toPutMessage(object), version)
  rows.finish()
}
