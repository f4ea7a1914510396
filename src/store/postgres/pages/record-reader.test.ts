import { beforeAll, describe, expect, inject, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import type { ByteBudget } from '../../sql/plan/plan-rules.ts'
import { Database } from '../driver/database.ts'
import { numberParameters } from '../driver/session.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { listedRecordsSql } from './page-sql.ts'

const COUNT = 2000
const keyOf = (n: number) => `k${String(n).padStart(6, '0')}`
const BUDGET: ByteBudget = { maxBytes: 1_000_000, recordOverhead: 10 }

describe.runIf(inject('store') === 'postgres')('the statement for records of known keys', () => {
  let place: TestStore
  let versions: readonly number[]
  beforeAll(async () => {
    place = await createTestStore()
    await using store = await openPostgresStore(place.name)
    const { commit } = await createFixture(store)
    const keys = Array.from({ length: COUNT }, (_, n) => keyOf((n * 7919) % COUNT))
    const first = await commit(keys.map((key) => [key, 'some text'] as const))
    const second = await commit(keys.slice(0, 50).map((key) => [key, 'changed'] as const))
    versions = [first.version, second.version]
    await runSql(place.name, 'ANALYZE oqs_object_1')
    return () => place[Symbol.asyncDispose]()
  })

  const statement = (options: Partial<Parameters<typeof listedRecordsSql>[0]>) =>
    listedRecordsSql({
      table: 1,
      version: versions[0] ?? 0,
      keys: [],
      record: { shape: [{ column: 'properties' }], selection: undefined },
      budget: undefined,
      isDistributed: false,
      ...options,
    })

  it.for([undefined, BUDGET])('looks up each key, and sorts nothing', async (budget) => {
    const { sql } = statement({ budget })
    const list = `'{${Array.from({ length: COUNT }, (_, n) => keyOf(n)).join()}}'`
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      const values = [...(budget ? [budget.maxBytes] : []), list, 1, 1]
      const plan = await runSql(place.name, [
        `SET plan_cache_mode = ${mode}`,
        `PREPARE page AS ${numberParameters(sql)}`,
        `EXPLAIN EXECUTE page(${values.join()})`,
      ])
      const text = JSON.stringify(plan)
      expect(text).toContain('Index Scan Backward using oqs_object_1_pkey')
      expect(text).not.toMatch(/Sort|Seq Scan|Hash/)
    }
  })

  it.for([undefined, BUDGET])('reads the same rows on Citus, in the same order', async (budget) => {
    await using database = new Database(place.name)
    const keys = Array.from({ length: 1000 }, (_, n) => keyOf((n * 7) % COUNT))
    for (const version of versions) {
      const [here = [], there = []] = await Promise.all(
        [false, true].map((isDistributed) => {
          const { sql, values } = statement({ version, keys, budget, isDistributed })
          return database.query(sql, values)
        }),
      )
      expect(here.map(([pk]) => pk)).toEqual(keys)
      expect(there).toEqual(here)
    }
  })
})
