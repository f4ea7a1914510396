/** Exchanges the indexes of fields that get texts which are too long for them. */

import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import {
  alignIndexes,
  indexPrefixes,
  type TableOfType,
  type TableSession,
  tablesOfDefinition,
} from '../../core/catalogue/build-table.ts'
import { readTableFields } from '../../core/catalogue/fields.ts'
import type { WriteTable } from '../../core/commits/locked-type.ts'
import type { Operation } from '../../core/session/session.ts'
import type { FieldColumns } from './field-columns.ts'

/** The fields of a batch that have long texts. */
interface LongTexts {
  /** The fields with a text that is better indexed by its first characters. */
  readonly long: readonly FieldColumns[]
  /** Those with a text that no B-tree or GIN index can hold. */
  readonly tooLong: readonly FieldColumns[]
}

/** A table that is about to be written to. */
export type WrittenTable = TableOfType & Pick<WriteTable, 'liveCount' | 'prefixFields'>

/**
 * A larger table keeps an index of full values as long as it can hold the texts: the commit would
 * have to wait until another one is built.
 */
const MAX_REINDEXED_OBJECTS = 20_000

/** Makes sure that the indexes of a type can hold the texts that are about to be written. */
export function* allowLongTexts(
  on: TableSession,
  table: WrittenTable,
  { long, tooLong }: LongTexts,
): Operation<void> {
  const first = tooLong.filter(({ hasLongText }) => !hasLongText)
  if (first.length > 0) yield* markLong(on, table, first)
  const exchanged = (table.liveCount <= MAX_REINDEXED_OBJECTS ? long : tooLong).filter(
    (field) =>
      field.valueType === 'text' && !field.isKey && !table.prefixFields.has(fieldKey(field)),
  )
  if (exchanged.length > 0) yield* indexPrefixes(on, table, exchanged)
}

/** Drops indexes that cannot hold a text, in all tables that have the fields. */
function* markLong(
  on: TableSession,
  { typeId, id }: TableOfType,
  fields: readonly FieldColumns[],
): Operation<void> {
  const { session } = on
  yield* session.extendTimeout()
  // Locks the type before its list of fields is read, which another load may be changing.
  yield* session.run('UPDATE oqs_object_type SET long_fields = long_fields + 1 WHERE id = ?', [
    typeId,
  ])
  const numbers = new Set(fields.map(({ number }) => number))
  const list = yield* readTableFields(session, { typeId, id })
  const marked = list.fields.map((field) =>
    numbers.has(field.number) ? { ...field, hasLongText: true } : field,
  )
  yield* session.run(
    'UPDATE oqs_field_list SET fields = ? WHERE object_type_id = ? AND table_id = ?',
    [JSON.stringify(marked), typeId, list.tableId],
  )
  for (const table of yield* tablesOfDefinition(session, typeId)) {
    if (list.tableId === 0 || table.id === id) yield* alignIndexes(on, { typeId, id: table.id })
  }
}
