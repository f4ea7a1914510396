import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { type ColumnValue, sortableDecimal } from '../../../ontology/values/column-value.ts'
import { COPY_HEADER, COPY_TRAILER, CopyBuffer } from '../driver/copy-buffer.ts'
import { Database } from '../driver/database.ts'
import { addArray, addBox, columnAdder } from './column-bytes.ts'
import { arrayText, type ColumnType, columnText } from './column-codec.ts'

let place: TestStore
let database: Database
beforeAll(async () => {
  place = await createTestStore()
  database = new Database(place.name)
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((value) => value.replaceAll('\0', '')),
  fc.constantFrom('', '\\N', '\\.', '\t\n\r\\', '"{},', "'", '\u{1f600}', 'ä€'.repeat(1000)),
)
const digits = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 100 }).map((d) => d.join(''))
const decimal = fc
  .oneof(
    fc
      .tuple(fc.constantFrom('', '-'), digits, digits)
      .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`),
    fc.constantFrom('0', '1', '-1', '10000', '9999', '0.0001', '0.00001', '12345.6', '-20000000'),
  )
  .map(sortableDecimal)

const VALUES: Readonly<Record<ColumnType, fc.Arbitrary<ColumnValue>>> = {
  text,
  smallint: fc.oneof(fc.integer({ min: -32_768, max: 32_767 }), fc.constantFrom(-32_768, 32_767)),
  integer: fc.oneof(fc.integer(), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1)),
  bigint: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, 2 ** 53),
  ),
  'double precision': fc.oneof(
    fc.double({ noNaN: true }),
    fc.constantFrom('NaN', Infinity, -Infinity, 0, -0, 5e-324, Number.MAX_VALUE),
  ),
  numeric: decimal,
}
const TYPES = Object.keys(VALUES) as ColumnType[]

/** Copies values into a table, and returns them as the database writes them. */
async function copied(type: string, adders: readonly ((buffer: CopyBuffer) => void)[]) {
  const buffer = new CopyBuffer()
  buffer.addBytes(COPY_HEADER)
  for (const [n, add] of adders.entries()) {
    buffer.addInt16(2)
    columnAdder('integer')(buffer, n)
    add(buffer)
  }
  buffer.addBytes(COPY_TRAILER)
  return database.write(async (session) => {
    await session.query(`CREATE TEMPORARY TABLE copied (n integer, value ${type}) ON COMMIT DROP`)
    const count = await session.copyIn('COPY copied FROM STDIN (FORMAT binary)', [buffer.bytes()])
    expect(count).toBe(adders.length)
    const rows = await session.query('SELECT value::text FROM copied ORDER BY n')
    return rows.map(([value]) => value)
  })
}

/** Returns texts as the database writes them once they are values of a type. */
async function cast(type: string, texts: readonly string[]) {
  const rows = await database.query(
    `SELECT value::${type}::text FROM unnest(?::text[]) WITH ORDINALITY AS c (value, n) ORDER BY n`,
    [texts],
  )
  return rows.map(([value]) => value)
}

it.each(TYPES)('copies the values that texts of the same values have: %s', async (type) => {
  const add = columnAdder(type)
  await fc.assert(
    fc.asyncProperty(fc.array(VALUES[type], { maxLength: 30 }), async (values) => {
      const adders = values.map((value) => (buffer: CopyBuffer) => add(buffer, value))
      const texts = values.map((value) => columnText(type, value))
      expect(await copied(type, adders)).toEqual(await cast(type, texts))
    }),
    fcOptions(30),
  )
})

it.each(TYPES)('copies arrays, empty ones too: %s[]', async (type) => {
  const arrays = fc.array(fc.array(VALUES[type], { maxLength: 5 }), { maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(arrays, async (values) => {
      const adders = values.map((value) => (buffer: CopyBuffer) => addArray(buffer, type, value))
      const texts = values.map((value) => arrayText(type, value))
      expect(await copied(`${type}[]`, adders)).toEqual(await cast(`${type}[]`, texts))
    }),
    fcOptions(30),
  )
})

it('copies boxes and nulls', async () => {
  const box = { west: -180, south: -12.5, east: 179.25, north: 1e-7 }
  const adders = [
    (buffer: CopyBuffer) => addBox(buffer, box),
    (buffer: CopyBuffer) => buffer.addNull(),
  ]
  expect(await copied('box', adders)).toEqual(['(179.25,1e-07),(-180,-12.5)', null])
})

it.each([
  ['smallint', 32_768],
  ['integer', 2 ** 31],
  ['integer', 1.5],
  ['integer', 'NaN'],
  ['bigint', 2n ** 63n],
] as const)('refuses what does not fit into a column: %s %s', (type, value) => {
  expect(() => columnAdder(type)(new CopyBuffer(), value)).toThrow(RangeError)
})
