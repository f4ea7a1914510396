import fc from 'fast-check'
import type { PrimaryKeyType } from '../../src/ontology/definition/property-type.ts'

/** Primary keys as a plain model sees them: how to make them, how they compare, how they read. */
export interface KeyModel {
  readonly type: PrimaryKeyType
  readonly keys: fc.Arbitrary<unknown>
  readonly compare: (a: never, b: never) => number
}

const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      'B',
      '0',
      '-',
      ' ',
      '"',
      '\\',
      '/',
      '%',
      'é',
      '\uffff',
      '\u{1f600}',
    ),
    minLength: 1,
    maxLength: 4,
  }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((key) => !key.includes('\0')),
)

export const KEY_MODELS: readonly KeyModel[] = [
  {
    type: 'string',
    keys: text,
    compare: (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)),
  },
  {
    type: 'integer',
    keys: fc.oneof(fc.integer(), fc.integer({ min: -20, max: 20 })),
    compare: (a: number, b: number) => a - b,
  },
  {
    type: 'long',
    keys: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    compare: (a: string, b: string) => (BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0),
  },
  {
    type: 'double',
    keys: fc
      .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -5, max: 5 }))
      .map((key) => (key === 0 ? 0 : key)),
    compare: (a: number, b: number) => (a < b ? -1 : a > b ? 1 : 0),
  },
  {
    type: 'timestamp',
    keys: fc
      .date({
        noInvalidDate: true,
        min: new Date('0000-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59Z'),
      })
      .map((date) => date.toISOString().replace('.000Z', 'Z')),
    compare: (a: string, b: string) => Date.parse(a) - Date.parse(b),
  },
]
