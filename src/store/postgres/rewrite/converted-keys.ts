/**
 * The keys of copies whose originals have other ones, while a change of the definition is carried
 * out. Without such a change a copy has the key of its original, and nothing is stored.
 */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { UnfitObject } from '../../definition-change.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { sameKey, type TypeConverter } from '../../sql/stored-change.ts'
import type { WriteSession } from '../driver/database.ts'
import type { CopiedKeys, CopiedObject } from './copy-objects.ts'
import type { Rewrite } from './rewrite-state.ts'

/** Adds objects whose new key another object has to `unfit`. */
export function convertedKeys(
  typeId: number,
  rewrite: Rewrite,
  converter: TypeConverter,
  unfit: UnfitObject[],
): CopiedKeys {
  return {
    take: (session, originals) => takeKeys(session, typeId, originals),
    claim: async (session, objects) => {
      const owners = await findOwners(session, typeId, rewrite, objects)
      const claimed = new Map<string, CopiedObject>()
      const freed = new Set<string>()
      const owned: string[] = []
      for (const copied of objects) {
        const { pk } = copied.object
        const owner = owners.get(pk)
        // A copy whose original has changed since is copied again later, perhaps with another key.
        if (claimed.has(pk) || owner?.isChanged === false) {
          unfit.push(sameKey(converter, copied.key))
          continue
        }
        claimed.set(pk, copied)
        if (owner === undefined) continue
        freed.add(pk)
        owned.push(owner.original)
      }
      await takeKeys(session, typeId, owned)
      await saveKeys(session, typeId, [...claimed.values()])
      return { objects: [...claimed.values()], freed: [...freed] }
    },
  }
}

async function takeKeys(
  session: WriteSession,
  typeId: number,
  originals: readonly string[],
): Promise<string[]> {
  const rows = await session.query(
    `DELETE FROM oqs_converted_key WHERE object_type_id = ? AND source_pk = ANY(?::text[])
     RETURNING pk`,
    [typeId, originals],
  )
  return rows.map(([pk]) => String(pk))
}

async function saveKeys(
  session: WriteSession,
  typeId: number,
  objects: readonly CopiedObject[],
): Promise<void> {
  await session.run(
    `INSERT INTO oqs_converted_key (object_type_id, source_pk, pk)
     SELECT ?::bigint, * FROM unnest(?::text[], ?::text[])`,
    [typeId, objects.map(({ original }) => original), objects.map(({ object }) => object.pk)],
  )
}

interface Owner {
  /** The key of its original. */
  readonly original: string
  /** Whether the original was changed after it was copied, also if that is not noted yet. */
  readonly isChanged: boolean
}

/** Returns the copies that have the keys of some objects already. */
async function findOwners(
  session: WriteSession,
  typeId: number,
  { sourceId, notedVersion }: Rewrite,
  objects: readonly CopiedObject[],
): Promise<ReadonlyMap<string, Owner>> {
  const rows = await session.query(
    `SELECT k.pk, k.source_pk, EXISTS (
         SELECT 1 FROM oqs_rewrite_key AS c
         WHERE c.object_type_id = k.object_type_id AND c.pk = k.source_pk
       ) OR NOT EXISTS (
         SELECT 1 FROM ${objectTable(sourceId)} AS o
         WHERE o.pk = k.source_pk AND o.valid_to = ${NEVER_CLOSED} AND o.valid_from <= ?
       ) FROM oqs_converted_key AS k WHERE k.object_type_id = ? AND k.pk = ANY(?::text[])`,
    [notedVersion, typeId, objects.map(({ object }) => object.pk)],
  )
  return new Map(
    rows.map(([pk, original, isChanged]) => [
      String(pk),
      { original: String(original), isChanged: isChanged === true },
    ]),
  )
}
