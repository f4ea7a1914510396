/** Copies objects between tables of a type. Their columns are derived again from their bodies. */
import { recordBytes } from '../../batch.ts'
import { UNFIT_OBJECTS_MAX } from '../../sql/plan-types.ts'
import { sameKey } from '../../sql/stored-change.ts'
import { objectTable } from '../catalogue/object-tables.ts'
import type { Operation } from '../session/operation.ts'
import { countRows, type Portion, type TableBuilder } from './construction.ts'
import { type ClaimedKeys, claimKeys, takeKeys } from './converted-keys.ts'
import { type Copying, convertRows, fits } from './copying.ts'
import { type NextRows, readNext, STORED_ROW, type StoredRow } from './read-objects.ts'

/** Copies the current objects after a key, until the step must end. */
export function* copyNext(
  builder: TableBuilder,
  copying: Copying,
  from: string,
): Operation<Omit<NextRows, 'rows'>> {
  const current = yield* builder.currentRows(copying.typeId)
  for (let after = from; ; ) {
    const range = { ...rangeOf(copying), current, after }
    const { rows, lastKey, isLast } = yield* readNext(builder.session, range, builder.portion)
    yield* addCopies(builder, copying, rows)
    const isDone = isLast || copying.unfit.length >= UNFIT_OBJECTS_MAX
    if (isDone || builder.isStepOver()) return { lastKey, isLast }
    after = lastKey
  }
}

function rangeOf({ sourceId, maxRecordBytes }: Copying) {
  return { id: sourceId, maxRecordBytes }
}

/** What is copied together if all objects are copied in one transaction. */
const AT_ONCE: Portion = { objects: 1000, bytes: 4 * 1024 * 1024 }

/** Copies all current objects, or those that also satisfy a condition without values. */
export function* copyAll(
  builder: TableBuilder,
  copying: Copying,
  condition = 'TRUE',
): Operation<void> {
  const { sql, values } = yield* builder.currentRows(copying.typeId)
  const current = { sql: `${sql} AND ${condition}`, values }
  for (let after = ''; ; ) {
    const range = { ...rangeOf(copying), current, after }
    const { rows, lastKey, isLast } = yield* readNext(builder.session, range, AT_ONCE)
    yield* addCopies(builder, copying, rows)
    if (isLast || copying.unfit.length >= UNFIT_OBJECTS_MAX) return
    after = lastKey
  }
}

/** Copies the current state of some objects, which may have been copied before or deleted since. */
export function* copyAgain(
  builder: TableBuilder,
  copying: Copying,
  originals: readonly string[],
): Operation<void> {
  const { session, portion } = builder
  const { typeId, sourceId, tableId, converter } = copying
  const current = yield* builder.currentRows(typeId)
  for (let at = 0; at < originals.length; at += portion.objects) {
    const some = originals.slice(at, at + portion.objects)
    const keys = converter.changesKeys ? yield* takeKeys(session, typeId, some) : some
    const removed = yield* builder.removeRows({ id: tableId }, keys)
    const rows = yield* session.query(
      `SELECT pk, key, body FROM ${objectTable(sourceId)}
       WHERE ${current.sql} AND pk ${session.dialect.isOneOf('text')} ORDER BY pk`,
      [...current.values, some],
      STORED_ROW,
    )
    yield* addCopies(builder, copying, rows, removed)
  }
}

/** Writes copies, in place of some that were removed. Writes none once an object does not fit. */
function* addCopies(
  builder: TableBuilder,
  copying: Copying,
  rows: readonly StoredRow[],
  removed = 0,
): Operation<void> {
  const { typeId, tableId, version, converter, unfit } = copying
  const table = { typeId, id: tableId }
  const converted = yield* convertRows(builder, copying, rows)
  const objects = converted.filter(fits)
  const { refused, freed } = converter.changesKeys
    ? yield* claimKeys(builder, copying, objects)
    : NO_CLAIMS
  for (const one of converted) {
    if (unfit.length >= UNFIT_OBJECTS_MAX) break
    if (!fits(one)) unfit.push(one)
    else if (refused.has(one)) unfit.push(sameKey(converter, one.key))
  }
  const replaced = yield* builder.removeRows(table, freed)
  const copies = unfit.length > 0 ? [] : objects.map(({ object }) => object)
  yield* builder.addRows(table, { type: converter.type, version, objects: copies })
  yield* countRows(builder.session, table, {
    added: copies.length - removed - replaced,
    maxRecordBytes: Math.max(0, ...copies.map(recordBytes)),
  })
}

/** Without other keys, nothing is claimed. */
const NO_CLAIMS: ClaimedKeys = { refused: new Set(), freed: [] }
