/**
 * The keys of copies whose originals have other ones, while a change of the definition is carried
 * out. Without such a change a copy has the key of its original, and nothing is stored.
 */

import { objectTable } from '../catalogue/object-tables.ts'
import { boolean, text } from '../session/columns.ts'
import type { Operation } from '../session/operation.ts'
import type { CoreSession } from '../session/session.ts'
import type { TableBuilder } from './construction.ts'
import type { CopiedObject, Copying } from './copying.ts'

/** Returns the keys of the copies of some originals, and deletes their entries. */
export function* takeKeys(
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

export interface ClaimedKeys {
  /** The objects whose key another one has. */
  readonly refused: ReadonlySet<CopiedObject>
  /** Keys whose earlier copies must be removed. */
  readonly freed: readonly string[]
}

/** Gives keys to copies. */
export function* claimKeys(
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

/** Returns the copies that have the keys of some objects already. */
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
       ) OR NOT EXISTS (
         SELECT 1 FROM ${objectTable(sourceId)} AS o
         WHERE o.pk = k.source_pk AND ${current.sql} AND o.valid_from <= ?
       ) FROM oqs_converted_key AS k
     WHERE k.object_type_id = ? AND k.pk ${session.dialect.isOneOf('text')}`,
    [...current.values, notedVersion, typeId, objects.map(({ object }) => object.pk)],
    { pk: text, original: text, isChanged: boolean },
  )
  return new Map(rows.map(({ pk, ...owner }) => [pk, owner]))
}
