/** Objects for tests of aggregations. Each property is named after its type. */
import fc from 'fast-check'
import { type ModelType, TYPES } from './aggregate-model-types.ts'

export const PROPERTIES = Object.keys(TYPES) as ModelType[]
export const NUMBERS: ModelType[] = ['integer', 'long', 'double', 'decimal']
export const TIMES: ModelType[] = ['date', 'timestamp']

const millis = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map((days) => days * 86_400_000),
  fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }).map((seconds) => seconds * 1000),
  fc.integer({ min: -100_000, max: 100_000 }),
)

const LARGE_DOUBLES = [2 ** 60, -(2 ** 60), 2 ** 63, 1.5e300, Number.MAX_VALUE, -Number.MAX_VALUE]
const ODD_DOUBLES = [0.1, -0.7, 1 / 3, 5e-324, 1e-300, 3.4028234663852886e38, -3.4e38, 2 ** 53 + 2]

/** Few distinct values, so that groups form, and some that break naive arithmetic. */
export const VALUES: Readonly<Record<ModelType, fc.Arbitrary<unknown>>> = {
  string: fc.constantFrom('', 'a', 'A', 'b', '"\\', 'é', '\uffff', '\u{1f600}', 'NaN', '1'),
  boolean: fc.boolean(),
  integer: fc.oneof(
    fc.integer({ min: -6, max: 6 }),
    fc.constantFrom(-(2 ** 31), 2 ** 31 - 1),
    fc.integer(),
  ),
  long: fc
    .oneof(
      fc.bigInt({ min: -6n, max: 6n }),
      fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    )
    .map(String),
  double: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -20, max: 20 }).map((n) => n / 4 + 0) },
    { weight: 1, arbitrary: fc.constantFrom(...LARGE_DOUBLES) },
    { weight: 3, arbitrary: fc.constantFrom(...ODD_DOUBLES) },
    { weight: 1, arbitrary: fc.constantFrom('NaN', 'Infinity', '-Infinity') },
  ),
  decimal: fc.oneof(
    fc.constantFrom('0', '0.10', '0.1', '-0.1', '1.25', '-3', '9.9999999999', '-0.0000000001'),
    fc
      .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 999 }))
      .map(([whole, fraction]) => `${whole}.${fraction}`),
  ),
  date: millis.map((ms) => new Date(ms).toISOString().slice(0, 10)),
  timestamp: fc
    .tuple(millis, fc.oneof(fc.constantFrom(0, 1, 999), fc.integer({ min: 0, max: 999 })))
    .map(([ms, micros]) => {
      const text = new Date(ms).toISOString()
      if (micros > 0) return text.replace('Z', `${String(micros).padStart(3, '0')}Z`)
      return text.replace('.000Z', 'Z')
    }),
}

export const objects = fc.uniqueArray(
  fc.record(
    {
      id: fc.integer({ min: 0, max: 60 }),
      ...(Object.fromEntries(
        PROPERTIES.map((name) => [name, fc.option(VALUES[name], { freq: 4, nil: undefined })]),
      ) as Record<ModelType, fc.Arbitrary<unknown>>),
    },
    { requiredKeys: ['id'] },
  ),
  { maxLength: 40, selector: ({ id }) => id },
)

/** The definition of an ontology with one object type, both of the same name. */
export function definitionOf(apiName: string) {
  return {
    apiName,
    objectTypes: [
      {
        apiName,
        primaryKey: 'id',
        properties: {
          id: { type: 'integer' as const },
          ...Object.fromEntries(PROPERTIES.map((type) => [type, { type }])),
        },
      },
    ],
  }
}
