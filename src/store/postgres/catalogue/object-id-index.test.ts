import { expect, inject, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { numberParameters } from '../driver/session.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { objectIdsSql } from './object-id-index.ts'

it.runIf(inject('store') === 'postgres')('finds objects by id with an index', async () => {
  await using place = await createTestStore()
  await using store = await openPostgresStore(place.name)
  const { commit } = await createFixture(store)
  await commit(Array.from({ length: 3000 }, (_, n) => [`k${n}`, 'some text'] as const))
  const rows = await runSql(
    place.name,
    `SELECT object_id FROM oqs_object_1 WHERE pk IN ('k7', 'k77') ORDER BY pk`,
  )
  const ids = rows.map((row) => String(row['object_id']))
  expect(ids).toHaveLength(2)

  const { sql, values } = objectIdsSql([...ids, ids[0]?.replace(/.$/, 'z') ?? ''])
  const found = `SELECT pk FROM oqs_object_1 AS o WHERE ${numberParameters(sql)} ORDER BY pk`
  const bound = values.map((value) => `'${value}'`).join(', ')
  const search = (explain: string) =>
    runSql(place.name, [`PREPARE search AS ${found}`, `${explain} EXECUTE search(${bound})`])
  await runSql(place.name, 'ANALYZE oqs_object_1')
  expect(JSON.stringify(await search('EXPLAIN'))).toContain('oqs_object_1_object_id')
  expect(await search('')).toEqual([{ pk: 'k7' }, { pk: 'k77' }])
})
