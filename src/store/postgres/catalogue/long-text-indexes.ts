/** Exchanges the indexes of fields that get texts which are too long for them. */

import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { WriteSession } from '../driver/database.ts'
import { type FieldColumns, readFieldColumns, readTableFields } from './field-columns.ts'
import { tablesOfDefinition } from './object-table.ts'
import { fieldIndexes } from './table-indexes.ts'
import type { TableLayout } from './table-layout.ts'

/** The fields of a batch that have long texts. */
interface LongTexts {
  /** The fields with a text that is better indexed by its first characters. */
  readonly long: readonly FieldColumns[]
  /** Those with a text that no B-tree or GIN index can hold. */
  readonly tooLong: readonly FieldColumns[]
}

/** A table that is about to be written to. */
export interface WrittenTable extends TableLayout {
  readonly id: number
  readonly liveCount: number
}

/**
 * A larger table keeps an index of full values as long as it can hold the texts: the commit would
 * have to wait until another one is built.
 */
const MAX_REINDEXED_OBJECTS = 20_000

/** Makes sure that the indexes of a type can hold the texts that are about to be written. */
export async function allowLongTexts(
  session: WriteSession,
  typeId: number,
  table: WrittenTable,
  { long, tooLong }: LongTexts,
): Promise<void> {
  const first = tooLong.filter(({ hasLongText }) => !hasLongText)
  if (first.length > 0) await markLong(session, typeId, table, first)
  const exchanged = table.liveCount <= MAX_REINDEXED_OBJECTS ? long : tooLong
  await indexPrefixes(session, typeId, table, exchanged)
}

/** Replaces indexes that cannot hold a text, in all tables that have the fields. */
async function markLong(
  session: WriteSession,
  typeId: number,
  written: WrittenTable,
  fields: readonly FieldColumns[],
): Promise<void> {
  await session.extendTimeout()
  // Locks the type before its list of fields is read, which another load may be changing.
  await session.query('UPDATE oqs_object_type SET long_fields = long_fields + 1 WHERE id = ?', [
    typeId,
  ])
  const numbers = new Set(fields.map(({ number }) => number))
  const list = await readTableFields(session, typeId, written.id)
  const marked = list.fields.map((field) =>
    numbers.has(field.number) ? { ...field, hasLongText: true } : field,
  )
  await session.run(
    'UPDATE oqs_field_list SET fields = ? WHERE object_type_id = ? AND table_id = ?',
    [JSON.stringify(marked), typeId, list.tableId],
  )
  for (const table of await tablesOfDefinition(session, typeId)) {
    if (list.tableId !== 0 && table.id !== written.id) continue
    for (const field of fields) {
      await exchangeIndexes(
        session,
        table,
        [field, table],
        [{ ...field, hasLongText: true }, table],
      )
    }
  }
}

/** Lets the indexes of properties hold only the first characters of their texts. */
async function indexPrefixes(
  session: WriteSession,
  typeId: number,
  written: WrittenTable,
  fields: readonly FieldColumns[],
): Promise<TableLayout> {
  const { id, prefixFields } = written
  const added = fields.filter(
    (field) => field.valueType === 'text' && !field.isKey && !prefixFields.has(fieldKey(field)),
  )
  if (added.length === 0) return written
  await session.extendTimeout()
  const after = { prefixFields: new Set([...prefixFields, ...added.map(fieldKey)]) }
  await session.run('UPDATE oqs_object_table SET prefix_fields = ? WHERE id = ?', [
    JSON.stringify([...after.prefixFields]),
    id,
  ])
  const table = (await tablesOfDefinition(session, typeId)).find((one) => one.id === id)
  if (table === undefined) throw new Error(`no table ${id}`)
  const before = { prefixFields }
  for (const field of added) {
    await exchangeIndexes(session, table, [field, before], [field, after])
  }
  return after
}

type IndexedField = readonly [FieldColumns, TableLayout]

/** Drops indexes that are no longer right. A table that is being loaded gets the others later. */
async function exchangeIndexes(
  session: WriteSession,
  { id, isPublished }: { readonly id: number; readonly isPublished: boolean },
  before: IndexedField,
  after: IndexedField,
): Promise<void> {
  const indexesOf = ([field, layout]: IndexedField) =>
    fieldIndexes({ name: objectTable(id), ...layout }, field)
  const [old, wanted] = [indexesOf(before), indexesOf(after)]
  for (const { name } of old) {
    if (!wanted.some((one) => one.name === name))
      await session.query(`DROP INDEX IF EXISTS ${name}`)
  }
  if (!isPublished) return
  for (const { name, sql } of wanted) {
    if (!old.some((one) => one.name === name)) await session.query(sql)
  }
}

/** Drops indexes that were built before a text arrived that is too long for them. */
export async function dropUnusableIndexes(
  session: WriteSession,
  typeId: number,
  table: TableLayout & { readonly id: number },
): Promise<void> {
  for (const field of await readFieldColumns(session, typeId)) {
    if (!field.hasLongText) continue
    const unusable = { id: table.id, isPublished: false }
    await exchangeIndexes(
      session,
      unusable,
      [{ ...field, hasLongText: false }, table],
      [field, table],
    )
  }
}
