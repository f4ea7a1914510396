/** Pages of a property with long texts, whose index holds only their first characters. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture, type StoreFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import type { Comparison, OrderTerm, Query } from '../../../query/query.ts'
import type { ObjectStore } from '../../object-store.ts'
import { orderBranches, orderColumn } from '../../sql/compile/keyset-sql.ts'
import { combine } from '../../sql/compile/sql-condition.ts'
import { Database } from '../driver/database.ts'
import { numberParameters } from '../driver/session.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { exactQuerySql } from '../queries/find-rows.ts'
import type { TypeFields } from '../queries/queried-types.ts'
import { readTypeFields, visibleSql } from '../queries/queried-types.ts'
import { pageSql } from './page-sql.ts'
import { valueWalkRows } from './value-walk.ts'

const COUNT = 4000
/** Half of the texts begin alike; a tenth are short, and some are equal. */
const COMMON = 'a beginning that very many texts have in common, '

function textOf(n: number): string | null {
  if (n % 97 === 5) return null
  if (n % 10 === 3) return `short ${n % 50}`
  return n % 2 === 0
    ? `${COMMON}${n % 700}`
    : `${n % 900} is the beginning of this text: ${'x'.repeat(60)}`
}

const keyOf = (n: number) => `k${String(n).padStart(6, '0')}`
const ITEMS = Array.from({ length: COUNT }, (_, n) => ({ key: keyOf(n), text: textOf(n) }))
const field = { property: 'text', structField: undefined }
const compare = (operator: Comparison, value: string) =>
  ({ kind: 'compare', field, operator, value }) as const

const MATCHES = {
  eq: (text: string, value: string) => text === value,
  lt: (text: string, value: string) => text < value,
  lte: (text: string, value: string) => text <= value,
  gt: (text: string, value: string) => text > value,
  gte: (text: string, value: string) => text >= value,
}

describe.runIf(inject('store') === 'postgres')('a property with long texts', () => {
  let place: TestStore
  let store: ObjectStore
  let things: StoreFixture
  let fields: TypeFields
  let index: string
  beforeAll(async () => {
    place = await createTestStore()
    store = await openPostgresStore(place.name)
    things = await createFixture(store)
    const shuffled = ITEMS.map((_, n) => ITEMS[(n * 1237) % COUNT] as (typeof ITEMS)[number])
    await things.put(shuffled.map(({ key: k, text }) => (text === null ? { k } : { k, text })))
    await runSql(place.name, 'ANALYZE oqs_object_1')
    const [row] = await runSql(
      place.name,
      `SELECT prefix_fields, field ->> 'number' AS number
       FROM oqs_object_table, oqs_field_list, json_array_elements(fields::json) AS field
       WHERE field ->> 'property' = 'text'`,
    )
    expect(row?.['prefix_fields']).toBe('["text"]')
    index = `oqs_object_1_p${row?.['number']}_prefix`
    await using database = new Database(place.name)
    fields = await database.read((session) =>
      readTypeFields(session, 1, things.type, { prefixFields: new Set(['text']) }),
    )
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  const values = [
    `${COMMON}14`,
    `${COMMON}1400`,
    COMMON,
    COMMON.slice(0, 20),
    COMMON.slice(0, 19),
    'short 3',
    `7 is the beginning of this text: ${'x'.repeat(60)}`,
    '',
  ]

  async function readAll(options: { query?: Query; order?: readonly OrderTerm[] }) {
    return things.readKeys({ ...options, maxObjects: COUNT, maxBytes: 1e8 })
  }

  it('finds the objects of every comparison, in key order', async () => {
    for (const value of values) {
      for (const operator of ['eq', 'lt', 'lte', 'gt', 'gte'] as const) {
        const expected = ITEMS.filter(({ text }) => text !== null && MATCHES[operator](text, value))
        const found = await readAll({ query: compare(operator, value) })
        expect(found, `${operator} ${value}`).toEqual(expected.map(({ key }) => key))
      }
    }
    const some = new Set(values)
    expect(await readAll({ query: { kind: 'oneOf', field, values } })).toEqual(
      ITEMS.flatMap(({ key, text }) => (text !== null && some.has(text) ? [key] : [])),
    )
  })

  it('finds the objects whose texts begin like a pattern', async () => {
    for (const beginning of ['short', COMMON.slice(0, 20), `${COMMON}1`, '7 is', '']) {
      const pattern = {
        kind: 'sequence',
        of: [
          { kind: 'literal', text: beginning },
          {
            kind: 'repeat',
            of: { kind: 'characters', ranges: [[0, 0x10ffff]] },
            min: 0,
            max: undefined,
          },
        ],
      } as const
      const found = await readAll({ query: { kind: 'pattern', field, pattern } })
      const expected = ITEMS.filter(({ text }) => text?.startsWith(beginning))
      expect(found, beginning).toEqual(expected.map(({ key }) => key))
    }
  })

  it.for(['asc', 'desc'] as const)(
    'orders by the whole text: %s, page by page',
    async (direction) => {
      const order = [{ property: 'text', direction, nulls: 'last' }] as const
      const sign = direction === 'asc' ? 1 : -1
      const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
      const expected = ITEMS.toSorted((a, b) => {
        if (a.text === null || b.text === null) {
          const byNull = Number(a.text === null) - Number(b.text === null)
          return byNull !== 0 ? byNull : sign * compareTexts(a.key, b.key)
        }
        return sign * (compareTexts(a.text, b.text) || compareTexts(a.key, b.key))
      }).map(({ key }) => key)
      expect(await readAll({ order })).toEqual(expected)
      const found: unknown[] = []
      for (let after: { pk: string; version: number } | undefined; ; ) {
        const page = await things.readPage({ order, after, maxObjects: 999, maxBytes: 1e8 })
        const keys = await things.readKeys({ order, after, maxObjects: 999, maxBytes: 1e8 })
        found.push(...keys)
        if (!page.more) break
        after = page.last
      }
      expect(found).toEqual(expected)
    },
  )

  const page = {
    table: 1,
    record: { shape: [{ column: 'properties' }], selection: undefined },
  } as const
  const visible = visibleSql('current', 1)

  async function explain(sql: string, bound: readonly unknown[]): Promise<string> {
    const literals = bound.map((value) =>
      typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`,
    )
    const rows = await runSql(place.name, [
      `PREPARE page AS ${numberParameters(sql)}`,
      `EXPLAIN EXECUTE page(${literals.join(', ')})`,
    ])
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  it('reads an equality as one range of the index', async () => {
    for (const value of values) {
      const walk = { visibility: 'current', version: 1 } as const
      const rows = valueWalkRows(compare('eq', value), undefined, walk, fields)
      const { sql, values: bound } = pageSql({ ...page, ...rows, maxObjects: 3, budget: undefined })
      const plan = await explain(sql, bound)
      expect(plan).toContain(`Index Scan using ${index} `)
      expect(plan).not.toContain('Sort')
    }
  })

  it('sorts only texts with the same beginning', async () => {
    const column = orderColumn(
      { property: 'text', direction: 'asc', nulls: 'last' },
      fields.numbers,
    )
    const [branch] = orderBranches([column], { pk: keyOf(8), values: [`7${'x'.repeat(80)}`] })
    if (branch === undefined) throw new Error('no branch')
    const rows = {
      where: combine('and', [visible, branch]),
      orderBy: branch.orderBy,
      isKeyOrder: false,
    }
    const { sql, values: bound } = pageSql({ ...page, ...rows, maxObjects: 3, budget: undefined })
    const plan = await explain(sql, bound)
    expect(plan).toContain('Incremental Sort')
    expect(plan).toContain(`Index Scan using ${index} `)
  })

  it('finds a range by the index', async () => {
    for (const query of [compare('lt', '1 is'), compare('gt', `short ${'x'.repeat(60)}`)]) {
      const condition = exactQuerySql(query, fields)
      const where = combine('and', [visible, condition])
      const plan = await explain(
        `SELECT o.pk FROM oqs_object_1 AS o WHERE ${where.sql}`,
        where.values,
      )
      expect(plan).toContain(index)
    }
  })
})
