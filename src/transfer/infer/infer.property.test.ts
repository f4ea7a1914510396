import { globSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { table } from '../../../test/support/random-tables.ts'
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
