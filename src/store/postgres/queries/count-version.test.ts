import { expect, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { CAPABILITIES } from '../citus/capabilities.ts'
import { numberParameters } from '../driver/session.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { countVersionSql } from './find-rows.ts'

/** Reads as of the published version, as on Citus, but on plain PostgreSQL. */
const APART = { ...CAPABILITIES.citus, isDistributed: false }
const COUNT = 4000

it('counts the objects of a version with a value, without those closed before and added later', async () => {
  await using place = await createTestStore()
  await using store = await openPostgresStore(place.name, { capabilities: APART })
  const { commit, readPage } = await createFixture(store)
  const text = (n: number) => (n % 20 === 0 ? 'rare' : 'other')
  await commit(Array.from({ length: COUNT }, (_, n) => [`k${n}`, text(n)] as const))
  await commit([
    ['k0', 'other'],
    ['k1', 'rare'],
    ['k20', null],
    ['new', 'rare'],
  ])
  const [{ column } = {}] = await runSql(
    place.name,
    `SELECT column_name AS column FROM information_schema.columns
     WHERE table_name = 'oqs_object_1' AND column_name ~ '^p[0-9]+$'`,
  )
  // A commit whose rows are visible, and which is not published yet.
  await runSql(place.name, [
    `INSERT INTO oqs_object_1 (pk, valid_from, object_id, key, title, body, checksum, ${column})
       SELECT pk || 'x', 3, object_id, key, title, body, checksum, ${column} FROM oqs_object_1
       WHERE ${column} = 'rare' AND valid_from = 2`,
    `UPDATE oqs_object_1 SET valid_to = 3 WHERE key = 'k40'`,
    'VACUUM ANALYZE oqs_object_1',
  ])
  const field = { property: 'text', structField: undefined }
  const query = { kind: 'compare', operator: 'eq', field, value: 'rare' } as const
  const page = await readPage({ query, includeTotalCount: true, maxObjects: 5 })
  expect(page).toMatchObject({ totalCount: COUNT / 20, version: 2 })

  const condition = { sql: `o.${column} = 'rare'`, values: [] }
  const { sql, values } = countVersionSql({ table: 1, indexedVersion: 1 }, 2, condition)
  const plan = await runSql(place.name, [
    `PREPARE counted AS SELECT ${numberParameters(sql)}`,
    `EXPLAIN EXECUTE counted(${values.join()})`,
  ])
  expect(JSON.stringify(plan)).toContain('Index Only Scan')
})
