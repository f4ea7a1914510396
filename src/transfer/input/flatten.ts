/** Turns nested objects into columns: `{"address": {"city": "Bern"}}` has the column `address.city`. */
import {
  type DeclaredType,
  isUnreadable,
  type ReadRow,
  type RowSource,
  setCell,
} from '../../formats/row.ts'
import { isJsonObject } from '../../ontology/json-object.ts'

/** Objects nested more deeply stay as they are; no real record is. */
const MAX_DEPTH = 32

/** Flattens the rows of a file; the text of CSV has no nested objects. */
export function flatten(source: RowSource): RowSource {
  if (source.kind === 'text') return source
  return {
    kind: source.kind,
    rows: flattenRows(source.rows),
    ...(source.types === undefined ? {} : { types: flattenTypes(source.types) }),
  }
}

async function* flattenRows(
  rows: AsyncIterable<readonly ReadRow[]>,
): AsyncGenerator<readonly ReadRow[]> {
  for await (const some of rows) yield some.map(flattenRow)
}

function flattenRow(row: ReadRow): ReadRow {
  if (isUnreadable(row) || !Object.values(row.cells).some(isNested)) return row
  const cells: Record<string, unknown> = {}
  const add = (name: string, value: unknown, depth: number) => {
    if (!isNested(value) || depth > MAX_DEPTH) setCell(cells, freeColumn(cells, name), value)
    else {
      for (const [member, inner] of Object.entries(value))
        add(`${name}.${member}`, inner, depth + 1)
    }
  }
  for (const [name, value] of Object.entries(row.cells)) add(name, value, 1)
  return { line: row.line, cells }
}

function freeColumn(cells: Readonly<Record<string, unknown>>, name: string): string {
  let free = name
  for (let number = 2; Object.hasOwn(cells, free); number += 1) free = `${name} ${number}`
  return free
}

/** Returns whether a value is an object other than a GeoJSON geometry, which is one value. */
function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) return false
  return !(Object.hasOwn(value, 'type') && Object.hasOwn(value, 'coordinates'))
}

function flattenTypes(types: ReadonlyMap<string, DeclaredType>): ReadonlyMap<string, DeclaredType> {
  const flat = new Map<string, DeclaredType>()
  const add = (name: string, declared: DeclaredType | undefined) => {
    if (declared === undefined) return
    if (declared.type !== 'struct') flat.set(name, declared)
    else for (const [member, inner] of declared.fields) add(`${name}.${member}`, inner)
  }
  for (const [name, declared] of types) add(name, declared)
  return flat
}
