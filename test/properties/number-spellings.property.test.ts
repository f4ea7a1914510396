import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textCellReader, typedCellReader } from '../../src/transfer/columns/read-cell.ts'
import { fcOptions } from '../support/fc-options.ts'
import { type Service, startService } from '../support/service.ts'

/** Every spelling of a number is accepted everywhere with the same meaning, or refused everywhere. */

const TYPES = ['float', 'double', 'decimal'] as const
type NumberType = (typeof TYPES)[number]

const OBJECTS = '/api/v1/ontologies/spellings/objects/number'

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 8 })
/** Mostly numbers; the optional parts also produce invalid spellings. */
const spelling = fc
  .tuple(
    fc.constantFrom('', '+', '-', '--', ' '),
    digits,
    fc.constantFrom('', '.', '..', ','),
    digits,
    fc.constantFrom('', '', 'e', 'E', 'e+', 'e-', 'x'),
    fc.constantFrom('', '', '0', '2', '05', '40', '400', '99999'),
  )
  .map((parts) => parts.join(''))
const special = fc.constantFrom(
  'NaN',
  'nan',
  'Infinity',
  '-Infinity',
  '+Infinity',
  'inf',
  '0x10',
  '1_000',
  '١',
  '1e',
  '.',
  '-',
)

describe('a spelling of a number', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    const numbers = Object.fromEntries(TYPES.map((type) => [type, { type }]))
    await service.apply({
      apiName: 'spellings',
      families: ['spellings'],
      objectTypes: [
        { apiName: 'number', primaryKey: 'id', properties: { id: { type: 'string' }, ...numbers } },
      ],
    })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** The readers of import files. */
  function readFile(type: NumberType, text: string): string | undefined {
    const [asText, asTyped] = [textCellReader, typedCellReader].map((reader) => {
      try {
        return reader({ kind: 'scalar', type })(text)
      } catch {
        return undefined
      }
    })
    expect(asTyped).toBe(asText)
    return asText
  }

  /** True for each part of the service that accepts the text and finds the object by it. */
  async function findObject(type: NumberType, text: string): Promise<Record<string, boolean>> {
    const field = `properties.${type}`
    const ranges = [{ gte: text, lte: text }]
    const [filtered, found1, found2, grouped] = await Promise.all([
      service.send(`${OBJECTS}?${field}.eq=${encodeURIComponent(text)}`),
      service.send(`${OBJECTS}/search`, { json: { query: { type: 'eq', field, value: text } } }),
      service.send('/api/spellings/v1/objects/types/number/search', {
        json: { query: { type: 'eq', field: type, value: text } },
      }),
      service.send(`${OBJECTS}/aggregate`, {
        json: {
          aggregation: [{ type: 'count', name: 'count' }],
          groupBy: [{ type: 'ranges', field, ranges }],
        },
      }),
    ])
    const count = (body: { data: { metrics: { value: number }[] }[] }) =>
      body.data[0]?.metrics[0]?.value ?? 0
    return {
      filter: filtered?.status === 200 && filtered.body.data.length === 1,
      search1: found1?.status === 200 && found1.body.data.length === 1,
      search2: found2?.status === 200 && found2.body.data.length === 1,
      range: grouped?.status === 200 && count(grouped.body) === 1,
    }
  }

  const check = async (type: NumberType, text: string): Promise<boolean> => {
    const put = await service.put('spellings', 'number', [{ id: 'one', [type]: text }])
    const isTaken = put.status === 200
    const found = await findObject(type, text)
    // NaN is in no range.
    const isInRange = isTaken && text !== 'NaN'
    expect({ type, text, ...found }).toEqual({
      type,
      text,
      filter: isTaken,
      search1: isTaken,
      search2: isTaken,
      range: isInRange,
    })
    // Values that have not been stored yet, so that the same object is not searched again.
    const values = new Set<unknown>()
    // Cells of files can have padding.
    for (const cell of text === text.trim() ? [text, ` ${text}\t`] : []) {
      const read = readFile(type, cell)
      expect([type, cell, read !== undefined]).toEqual([type, cell, isTaken])
      if (read !== undefined) values.add(JSON.parse(read))
    }
    values.delete(text)
    for (const value of values) {
      await service.put('spellings', 'number', [{ id: 'one', [type]: value }])
      const again = await findObject(type, text)
      expect({ value, ...again }).toEqual({ value, ...found })
    }
    return isTaken
  }

  it('means the same in objects, filters, queries, ranges and files', async () => {
    let taken = 0
    let refused = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 5, arbitrary: spelling }, special), async (text) => {
        // An empty cell is a missing value.
        fc.pre(text.trim() !== '')
        for (const type of TYPES) {
          if (await check(type, text)) taken += 1
          else refused += 1
        }
      }),
      fcOptions(20, 12),
    )
    expect([taken > 0, refused > 0]).toEqual([true, true])
  })

  it.for(['1', '+1', '-1', '01', '1.', '.5', '-.5', '1.50', '1e3', '1E3', '1.5e+2', '5e-3', '0e9'])(
    'such as %s is taken for every type',
    async (text) => {
      for (const type of TYPES) expect([type, await check(type, text)]).toEqual([type, true])
    },
  )
})
