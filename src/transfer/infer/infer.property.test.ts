import { globSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import type { CellKind, Row } from '../../formats/row.ts'
import { OntologyDefinition, StructFields } from '../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import { objectReader } from '../../ontology/values/read-object.ts'
import { isRejected, rowReader } from '../columns/row-to-object.ts'
import { typeNameOf, writeDefinition } from './definition.ts'
import { inferrer } from './inferrer.ts'

const isDefinition = new Ajv({ strict: false }).addSchema(StructFields).compile(OntologyDefinition)

/** Infers a type, then reads every row as an object that the service accepts. */
function inferAndRead(rows: readonly Row[], kind: CellKind, fileName: string) {
  const inference = inferrer()
  for (let at = 0; at < rows.length; at += 100) inference.add(rows.slice(at, at + 100), kind)
  const inferred = inference.finish(typeNameOf(fileName), fileName)
  const definition = JSON.parse(writeDefinition('inferred', inferred))
  expect(isDefinition(definition), JSON.stringify(isDefinition.errors)).toBe(true)

  const type = parseDefinition(definition).objectTypes.get(inferred.definition.apiName)
  if (type === undefined) throw new Error('the type is not in its definition')
  const read = rowReader(type, inferred.columns)
  const store = objectReader(type)
  const objects = rows.map((row) => {
    const result = read(row, kind)
    if (isRejected(result)) throw new Error(`line ${row.line}: ${JSON.stringify(result)}`)
    return { key: result.key, stored: store(JSON.parse(result.json)) }
  })
  // No two columns may have the same property.
  expect(new Set(objects.map(({ key }) => key)).size).toBe(rows.length)
  expect(new Set(objects.map(({ stored }) => stored.pk)).size).toBe(rows.length)
  return { inferred, bodies: objects.map(({ stored }) => JSON.parse(stored.body)) }
}

const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'))
const instant = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
const time = instant.chain((date) => {
  const iso = date.toISOString()
  return fc.constantFrom(
    iso,
    iso.slice(0, 19),
    iso.slice(0, 16).replace('T', ' '),
    iso.slice(0, 10),
  )
})
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const digits = fc.oneof(
  number.map(String),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value.toFixed(3)),
  fc.double({ min: -1, max: 1, noNaN: true }).map((value) => value.toFixed(25)),
  fc.constantFrom('-0', '00', '+1', '.5', '5.', '1e400', 'NaN', '-Infinity', '0x10', '1_000'),
)
const position = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
)
const geometry = fc.oneof(
  position.map((coordinates) => ({ type: 'Point', coordinates })),
  fc.array(position).map((coordinates) => ({ type: 'MultiPoint', coordinates })),
  fc.constant({ type: 'Point', coordinates: ['invalid'] }),
)
const field = fc.constantFrom('a', 'b', 'invalid name', 'c')
const leaf = fc.oneof(number, text, time, fc.boolean(), geometry, fc.constant(null))
const nested = fc.oneof(
  fc.array(number),
  fc.array(leaf),
  fc.dictionary(fc.constantFrom('a', 'b'), number, { noNullPrototype: true }),
  fc.array(fc.dictionary(field, leaf, { noNullPrototype: true })),
  fc.dictionary(field, fc.oneof(leaf, fc.array(leaf)), { noNullPrototype: true }),
)

/** Values of one kind, as in most columns. */
const SORTS: Readonly<Record<CellKind, readonly fc.Arbitrary<unknown>[]>> = {
  json: [number, text, time, fc.boolean(), geometry, nested, leaf],
  typed: [number, text, time, fc.boolean(), geometry, nested, fc.bigInt(), fc.double()],
  text: [
    digits,
    fc.integer().map(String),
    text,
    time,
    fc.constantFrom('true', 'False', 'yes', 'NO', '1', '0'),
    fc.oneof(geometry, nested).map((value) => JSON.stringify(value)),
    position.map(([longitude, latitude]) => `${latitude.toFixed(4)},${longitude.toFixed(4)}`),
  ],
}

const columnName = fc.oneof(
  fc.constantFrom('id', 'name', 'row', 'lat', 'lon', 'location', 'a b', 'aB', 'A B', 'constructor'),
  text,
)

/** A column with values of one kind, and occasionally of any kind. */
function column(kind: CellKind): fc.Arbitrary<fc.Arbitrary<unknown>> {
  const empty = fc.constant(kind === 'text' ? '' : null)
  return fc
    .constantFrom(...SORTS[kind])
    .chain((sort) =>
      fc.constantFrom(
        sort,
        fc.oneof(sort, empty),
        fc.oneof({ weight: 8, arbitrary: sort }, ...SORTS[kind]),
      ),
    )
}

function table(kind: CellKind): fc.Arbitrary<Row[]> {
  return fc
    .uniqueArray(
      columnName.filter((name) => name !== '__proto__'),
      { minLength: 1, maxLength: 6 },
    )
    .chain((names) => fc.tuple(...names.map((name) => column(kind).map((sort) => [name, sort]))))
    .chain((sorts) => {
      const cells = Object.fromEntries(sorts) as Record<string, fc.Arbitrary<unknown>>
      const constraints = {
        noNullPrototype: true,
        ...(kind === 'json' ? { requiredKeys: [] } : {}),
      }
      return fc.array(fc.record(cells, constraints), { minLength: 1, maxLength: 12 })
    })
    .map((rows) =>
      rows.map((cells, index) => ({
        line: index + 2,
        cells,
        ...(kind === 'json' ? { json: JSON.stringify(cells) } : {}),
      })),
    )
}

describe('an inferred type', () => {
  it.each<CellKind>(['text', 'json', 'typed'])(
    'accepts every row it was inferred from: %s',
    (kind) => {
      fc.assert(
        fc.property(table(kind), (rows) => {
          inferAndRead(rows, kind, 'table.csv')
        }),
        fcOptions(200),
      )
    },
  )

  it('does not change texts that stay text', () => {
    fc.assert(
      fc.property(table('text'), (rows) => {
        const { inferred, bodies } = inferAndRead(rows, 'text', 'table.csv')
        const strings = Object.entries(inferred.definition.properties).filter(
          ([name, { type, displayName = name }]) => type === 'string' && displayName === name,
        )
        rows.forEach(({ cells }, index) => {
          for (const [name] of strings) {
            const cell = Object.hasOwn(cells, name) ? cells[name] : undefined
            if (typeof cell === 'string' && cell !== '') expect(bodies[index][name]).toBe(cell)
          }
        })
      }),
      fcOptions(100),
    )
  })
})

const LARGE = 2_000_000

describe('open data', () => {
  // Some files are one large object, which is not a table.
  const tables = globSync('node_modules/vega-datasets/data/*.{csv,json}')
    .filter((path) => statSync(path).size < LARGE)
    .flatMap((path) => {
      const records = readRecords(path)
      return Array.isArray(records) ? [{ name: basename(path), records }] : []
    })

  it('is available', () => {
    expect(tables.length).toBeGreaterThan(40)
  })

  it.each(tables)('is read as inferred: $name', ({ name, records }) => {
    const kind = name.endsWith('.csv') ? 'text' : 'json'
    const rows = records.filter(isJsonObject).map((cells, index) => ({ line: index + 2, cells }))
    expect(rows.length).toBeGreaterThan(0)
    inferAndRead(rows, kind, name)
  })
})

function readRecords(path: string): unknown {
  const content = readFileSync(path, 'utf8')
  return path.endsWith('.csv') ? parse(content, { columns: true, bom: true }) : JSON.parse(content)
}
