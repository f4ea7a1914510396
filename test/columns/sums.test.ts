/** Sums and means of doubles: exact, rounded once, and the same from columns and the database. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { parseAggregation } from '../../src/query/aggregation/parse-aggregation.ts'
import { V2_AGGREGATIONS } from '../../src/query/aggregation/v2-aggregations.ts'
import { EVERYTHING } from '../../src/query/query.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import { type ColumnStore, openColumnStore } from '../support/column-store.ts'
import { doubleUnits, nearestDouble } from '../support/double-units.ts'
import { fcOptions } from '../support/fc-options.ts'
import { createFixture } from '../support/store-fixture.ts'
import { createTestStore } from '../support/test-store.ts'
import { QUERY_LIMITS } from '../support/to-query.ts'

const FLOAT_MAX = 3.4028234663852886e38
const DEFINITION: OntologyDefinition = {
  apiName: 'sums',
  objectTypes: [
    {
      apiName: 'value',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' },
        group: { type: 'integer' },
        float: { type: 'float' },
        double: { type: 'double' },
      },
    },
  ],
}

type Row = readonly [float: number | string | null, double: number | string | null]

/** Aggregates rows whose groups are given, with columns and without. */
async function sumsOf(columns: ColumnStore, groups: readonly (readonly Row[])[]) {
  const { type, put } = await createFixture(columns.store, DEFINITION)
  const rows = groups.flatMap((own, group) => own.map((row) => ({ group, row })))
  await put(rows.map(({ group, row: [float, double] }, id) => ({ id, group, float, double })))
  const metrics = ['float', 'double'].flatMap((field) => [
    { type: 'sum', field, name: `sum of ${field}` },
    { type: 'avg', field, name: `mean of ${field}` },
  ])
  const written = { aggregation: metrics, groupBy: [{ type: 'exact', field: 'group' }] }
  const context = { objectType: type, limits: QUERY_LIMITS }
  const aggregation = parseAggregation(V2_AGGREGATIONS, written, context)
  const sources = [{ objectType: type, query: EVERYTHING, version: undefined }]
  const ask = async (store: ObjectStore) => {
    const result = await store.aggregate({ sources, aggregation, maxGroups: 1000 })
    if (result === 'reclaimed') throw new Error('the latest version is never reclaimed')
    const found = JSON.parse(`[${Buffer.concat(result.records)}]`)
    return found.map(({ metrics: own }: { metrics: { value?: unknown }[] }) =>
      own.map(({ value }) => value),
    )
  }
  const answers = [await ask(columns.store), await ask(columns.database)]
  expect(columns.outcomes.get('answered')).toBe(1)
  return answers
}

it.each([
  ['tenths', Array(10).fill(0.1), 1, 0.1],
  ['what rounding twice makes larger', [1, 2 ** -53, 2 ** -106], 1 + 2 ** -52, 0.33333333333333337],
  ['small numbers between large ones', [1, 2 ** 62, 1, -(2 ** 62), 1], 3, 0.6],
  ['the smallest numbers', [5e-324, 5e-324, 1e-323], 2e-323, 5e-324],
  ['numbers of all sizes', [1e300, 1, 1e-300, -1e300, -1], 1e-300, 2e-301],
  ['numbers whose sum is too large', [1.7e308, 1.7e308], 'Infinity', 1.7e308],
  ['infinities', ['Infinity', 1.7e308, '-Infinity'], 'NaN', 'NaN'],
  ['NaN', [1, 'NaN'], 'NaN', 'NaN'],
  ['nothing', [null], undefined, undefined],
])('sums of %s are exact', async (_, values, sum, mean) => {
  await using place = await createTestStore()
  await using columns = await openColumnStore(place.name)
  const rows = values.map((double): Row => [null, double])
  const expected = [[undefined, undefined, sum, mean]]
  expect(await sumsOf(columns, [rows])).toEqual([expected, expected])
})

it('sums of the largest floats do not depend on their order', async () => {
  await using place = await createTestStore()
  await using columns = await openColumnStore(place.name)
  const small = Array.from({ length: 50 }, (_, n) => n * 1e7 + 0.123)
  const values = [...small, FLOAT_MAX, -FLOAT_MAX, 3.4e38, -3.4e38, FLOAT_MAX, -FLOAT_MAX]
  const orders = fc.sample(fc.shuffledSubarray(values, { minLength: values.length }), 5)
  const groups = orders.map((own) => own.map((value): Row => [value, value]))
  const units = values.reduce((total, value) => total + doubleUnits(value), 0n)
  const [sum, mean] = [nearestDouble(units, 1), nearestDouble(units, values.length)]
  const expected = groups.map(() => [sum, mean, sum, mean])
  expect(await sumsOf(columns, groups)).toEqual([expected, expected])
})

it('sums of any doubles are exact', async () => {
  await using place = await createTestStore()
  await using columns = await openColumnStore(place.name)
  const double = fc.double({ noNaN: true, noDefaultInfinity: true })
  const size = fc.integer({ min: -1074, max: 1023 }).map((exponent) => 1.1 * 2 ** exponent)
  const values = fc.array(fc.oneof(double, size), { minLength: 1, maxLength: 9 })
  const { numRuns, ...seed } = fcOptions(300)
  const groups = fc.sample(values, { numRuns, ...seed })
  const sums = groups.map((own) => own.reduce((total, value) => total + doubleUnits(value), 0n))
  const shown = (value: number) => (Number.isFinite(value) ? value : String(value))
  const expected = groups.map((own, at) => {
    const sum = sums[at] ?? 0n
    return [undefined, undefined, shown(nearestDouble(sum, 1)), nearestDouble(sum, own.length)]
  })
  const rows = groups.map((own) => own.map((value): Row => [null, value]))
  expect(await sumsOf(columns, rows)).toEqual([expected, expected])
})
