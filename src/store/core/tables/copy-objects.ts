/** Copies objects between tables of a type. Their columns are derived again from their bodies. */
import { recordBytes } from '../../batch-rules.ts'
import { UNFIT_OBJECTS_MAX } from '../../sql/plan-definition-change.ts'
import { sameKey } from '../../sql/stored-change.ts'
import { objectTable } from '../catalogue/object-tables.ts'
import { boolean, type CoreSession, type Operation, text } from '../session/session.ts'
import { countRows, type Portion, type TableBuilder } from './construction.ts'
import { type CopiedObject, type Copying, convertRows, fits } from './convert-rows.ts'
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
      `SELECT pk, ${session.dialect.keyJson}, body FROM ${objectTable(sourceId)}
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

// The keys of copies whose originals have other ones, while a change of the definition is carried out.
// Without such a change a copy has the key of its original, and nothing is stored.

/** Returns the keys of the copies of some originals, and deletes their entries. */
function* takeKeys(
  session: CoreSession,
  typeId: number,
  originals: readonly string[],
): Operation<readonly string[]> {
  const rows = yield* session.query(
    `DELETE FROM oqs_converted_key
     WHERE object_type_id = ? AND source_pk ${session.dialect.isOneOf('text')} RETURNING pk`,
    [typeId, originals],
    { pk: text },
  )
  return rows.map(({ pk }) => pk)
}

interface ClaimedKeys {
  /** The objects whose key another one has. */
  readonly refused: ReadonlySet<CopiedObject>
  /** Keys whose earlier copies must be removed. */
  readonly freed: readonly string[]
}

/** Gives keys to copies. */
function* claimKeys(
  builder: TableBuilder,
  copying: Copying,
  objects: readonly CopiedObject[],
): Operation<ClaimedKeys> {
  const { session } = builder
  const { typeId } = copying
  const owners = yield* findOwners(builder, copying, objects)
  const claimed = new Map<string, string>()
  const refused = new Set<CopiedObject>()
  const freed = new Map<string, string>()
  for (const copied of objects) {
    const { pk } = copied.object
    const owner = owners.get(pk)
    // A copy whose original has changed since is copied again later, perhaps with another key.
    if (claimed.has(pk) || owner?.isChanged === false) {
      refused.add(copied)
      continue
    }
    claimed.set(pk, copied.original)
    if (owner !== undefined) freed.set(pk, owner.original)
  }
  yield* takeKeys(session, typeId, [...freed.values()])
  yield* session.run(
    `INSERT INTO oqs_converted_key (object_type_id, pk, source_pk)
     SELECT CAST(? AS bigint), pk, source_pk
     FROM ${session.dialect.rows({ pk: 'text', source_pk: 'text' })} AS claimed`,
    [typeId, JSON.stringify([...claimed])],
  )
  return { refused, freed: [...freed.keys()] }
}

interface Owner {
  /** The key of its original. */
  readonly original: string
  /** Whether the original was changed after it was copied, also if that is not listed yet. */
  readonly isChanged: boolean
}

/**
 * Returns the copies that have the keys of some objects already. Objects on other machines cannot be
 * looked up row by row, so their originals are read by a second statement.
 */
function* findOwners(
  builder: TableBuilder,
  { typeId, sourceId, notedVersion }: Copying,
  objects: readonly CopiedObject[],
): Operation<ReadonlyMap<string, Owner>> {
  const { session } = builder
  const current = yield* builder.currentRows(typeId)
  const rows = yield* session.query(
    `SELECT k.pk, k.source_pk, EXISTS (
         SELECT 1 FROM oqs_rewrite_key AS c
         WHERE c.object_type_id = k.object_type_id AND c.pk = k.source_pk
       ) FROM oqs_converted_key AS k
     WHERE k.object_type_id = ? AND k.pk ${session.dialect.isOneOf('text')}`,
    [typeId, objects.map(({ object }) => object.pk)],
    { pk: text, original: text, isListed: boolean },
  )
  if (rows.length === 0) return new Map()
  const unchanged = yield* session.query(
    `SELECT pk FROM ${objectTable(sourceId)}
     WHERE ${current.sql} AND valid_from <= ? AND pk ${session.dialect.isOneOf('text')}`,
    [...current.values, notedVersion, rows.map(({ original }) => original)],
    { pk: text },
  )
  const originals = new Set(unchanged.map(({ pk }) => pk))
  return new Map(
    rows.map(({ pk, original, isListed }) => [
      pk,
      { original, isChanged: isListed || !originals.has(original) },
    ]),
  )
}
