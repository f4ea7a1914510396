import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture, type StoreFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import type { ComparedValue } from '../../../query/query.ts'
import type { ObjectStore } from '../../object-store.ts'
import { plainProperty } from '../../sql/compile/property-sql.ts'
import type { Visibility } from '../../sql/plan/plan-rules.ts'
import { numberParameters } from '../driver/session.ts'
import { openPostgresStore } from '../postgres-store.ts'
import type { TypeFields } from '../queries/queried-types.ts'
import { pageSql } from './page-sql.ts'
import { isLarge, PAGES_OF_VALUE_WALK } from './plan-page.ts'
import { type Equality, valueWalkRows } from './value-walk.ts'

const COUNT = 5001
const PAGE_SIZE = 4
const INDEX_HEIGHT = 2
const VALUES = ['rare', 'common', 'absent', 'other1', '', 'zzz'] as const

/** One value in a thousand objects, one in 60 of 100, and many that occur a few times. */
function textOf(n: number): string {
  if (n % 1000 === 7) return 'rare'
  return n % 10 < 6 ? 'common' : `other${n % 497}`
}

const equality = (value: ComparedValue): Equality => ({
  kind: 'compare',
  field: { property: 'text', structField: undefined },
  operator: 'eq',
  value,
})

describe.runIf(inject('store') === 'postgres')('a page of the objects with one value', () => {
  let place: TestStore
  let store: ObjectStore
  let things: StoreFixture
  let column: number
  beforeAll(async () => {
    place = await createTestStore()
    store = await openPostgresStore(place.name)
    things = await createFixture(store)
    // In an arrival order that is unrelated to key order.
    const keys = Array.from({ length: COUNT }, (_, n) => (n * 7919) % COUNT)
    await things.commit(keys.map((n) => [`k${String(n).padStart(6, '0')}`, textOf(n)] as const))
    await runSql(place.name, 'ANALYZE oqs_object_1')
    const [row] = (await runSql(
      place.name,
      `SELECT field ->> 'number' AS number
       FROM oqs_field_list, json_array_elements(fields::json) AS field
       WHERE field ->> 'property' = 'text'`,
    )) as { number: string }[]
    column = Number(row?.number)
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  function preparedPage(visibility: Visibility, maxObjects: number): string {
    const fields = {
      numbers: {
        find: () => ({ valueType: 'text' }),
        propertySql: () => plainProperty(`o.p${column}`),
      },
    }
    const { sql } = pageSql({
      ...valueWalkRows(
        equality(''),
        undefined,
        { visibility, version: 1 },
        fields as unknown as TypeFields,
      ),
      table: 1,
      record: { shape: [{ column: 'properties' }], selection: undefined },
      maxObjects,
      budget: undefined,
    })
    return `PREPARE page AS ${numberParameters(sql)}`
  }
  const valuesOf = (visibility: Visibility, value: string) =>
    [
      ...(visibility === 'version' ? [1, 1] : []),
      ...[`'${value}'`, `'${value}'`, `'k002'`, PAGE_SIZE + 1],
    ].join(', ')
  it.for([
    ['current', 1],
    ['current', 10],
    ['version', 1],
    ['version', 10],
  ] as const)(
    'walks the index of its property: %s rows, pages of %d',
    async ([visibility, size]) => {
      expect(isLarge(COUNT, size, PAGES_OF_VALUE_WALK)).toBe(true)
      for (const mode of ['force_generic_plan', 'force_custom_plan']) {
        const plan = await runSql(place.name, [
          `SET plan_cache_mode = ${mode}`,
          preparedPage(visibility, size),
          `EXPLAIN EXECUTE page(${valuesOf(visibility, 'rare')})`,
        ])
        expect(JSON.stringify(plan)).toContain(`Index Scan using oqs_object_1_p${column} `)
        expect(JSON.stringify(plan)).not.toContain('Sort')
      }
    },
  )

  it.for(['current', 'version'] as const)(
    'reads only its rows, whether its value is frequent, rare or absent: %s rows',
    async (visibility) => {
      for (const value of VALUES) {
        const [row] = (await runSql(place.name, [
          'SET plan_cache_mode = force_generic_plan',
          preparedPage(visibility, PAGE_SIZE),
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE page(${valuesOf(visibility, value)})`,
        ])) as { 'QUERY PLAN': [{ Plan: { [name: string]: number } }] }[]
        const plan = row?.['QUERY PLAN'][0].Plan
        const blocks = Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks'])
        expect(blocks, value).toBeLessThanOrEqual(PAGE_SIZE + 1 + INDEX_HEIGHT)
      }
    },
  )

  it('continues after its cursor, and ends with the value', async () => {
    const options = { includeTotalCount: false, maxObjects: 2 }
    const keysOf = async (value: string) => {
      const keys: string[] = []
      for (let after: { pk: string; version: number } | undefined, more = true; more; ) {
        const page = await things.readPage({ ...options, query: equality(value), after })
        if (page.last !== undefined) keys.push(page.last.pk)
        after = page.last
        more = page.more
      }
      return keys
    }
    expect(await keysOf('rare')).toEqual(['k001007', 'k003007', 'k004007'])
    for (const value of ['absent', '', 'zzz']) expect(await keysOf(value)).toEqual([])
  })

  it('is still found after its property got a text that is too long for the index', async () => {
    const query = equality('rare')
    const read = () => things.readKeys({ query, includeTotalCount: false, maxObjects: 9 })
    const before = await read()
    expect(before).toHaveLength(Math.floor(COUNT / 1000))
    await things.commit([['long', 'x'.repeat(3000)]])
    expect(await read()).toEqual(before)
    const long = { query: equality('x'.repeat(3000)), includeTotalCount: false }
    expect(await things.readKeys(long)).toEqual(['long'])
  })
})
