import { expect, inject, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { numberParameters } from '../driver/session.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { pageSql } from './page-sql.ts'
import { isLarge, PAGES_OF_KEY_WALK } from './plan-page.ts'
import { keyWalkRows } from './read-page.ts'

/** Keys in an arrival order that is unrelated to key order. */
const scattered = (count: number) =>
  Array.from({ length: count }, (_, n) => `k${String((n * 7919) % count).padStart(6, '0')}`)

it.runIf(inject('store') === 'postgres').for([
  [1, 1001],
  [10, 1001],
  [100, 10_001],
] as const)(
  'a snapshot page of %d of %d objects walks the key, whatever its values',
  async ([size, count]) => {
    expect(isLarge(count, size, PAGES_OF_KEY_WALK)).toBe(true)
    await using place = await createTestStore()
    await using store = await openPostgresStore(place.name)
    const { commit } = await createFixture(store)
    await commit(scattered(count).map((key) => [key, 'some text'] as const))
    await runSql(place.name, 'ANALYZE oqs_object_1')
    const { sql } = pageSql({
      ...keyWalkRows({ after: undefined }, { visibility: 'version', version: 1, hideValues: true }),
      table: 1,
      record: { shape: [{ column: 'properties' }], selection: undefined },
      maxObjects: size,
      budget: undefined,
    })
    const plan = await runSql(place.name, [
      'SET plan_cache_mode = force_generic_plan',
      `PREPARE page AS ${numberParameters(sql)}`,
      `EXPLAIN EXECUTE page(1, 1, '', ${size + 1})`,
    ])
    expect(JSON.stringify(plan)).toContain('Index Scan using oqs_object_1_pkey')
    expect(JSON.stringify(plan)).not.toContain('Sort')
  },
)
