/** Reads the links between objects: for the objects of a page, the keys of all linked objects. */

import { keyColumn, type RecordShape } from '../../contract/object-record.ts'
import type { LinkSide, ObjectType } from '../../ontology/ontology.ts'
import { readPrimaryKey } from '../../ontology/values/primary-key.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { readComparedValue } from '../../query/compared-value.ts'
import type { Query } from '../../query/query.ts'
import type { Cursor, Objects, ReadPageRequest } from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import { propertyEquals } from './find-object.ts'

/** An object that links start at. */
export interface LinkSource {
  /** The primary key as a JSON value. */
  readonly key: unknown
  /** The properties that links are followed by. */
  readonly properties: Readonly<Record<string, unknown>>
}

/** The links of one source: for each side, the keys of the linked objects as JSON values. */
export type SourceLinks = readonly (readonly unknown[])[]

export interface LinkReader {
  readonly objects: Pick<Objects, 'readPage'>
  readonly context: RequestContext
  readonly maxBytes: number
}

/** The rows that are read at once. */
const CHUNK = 10_000

export interface KeyedPage {
  readonly sources: readonly LinkSource[]
  readonly last: Cursor | undefined
  readonly more: boolean
}

/** Reads the keys and some properties of objects, in key order. */
export async function readSources(
  objectType: ObjectType,
  query: Query,
  properties: readonly string[],
  page: { readonly after: Cursor | undefined; readonly maxObjects: number },
  { objects, context, maxBytes }: LinkReader,
): Promise<KeyedPage> {
  const key: RecordShape = [{ literal: '[' }, { column: keyColumn(objectType.primaryKey.type) }]
  const shape: RecordShape =
    properties.length === 0
      ? [...key, { literal: ',{}]' }]
      : [...key, { literal: ',' }, { column: 'properties' }, { literal: ']' }]
  const request: ReadPageRequest = {
    objectType,
    query,
    order: [],
    record: { shape, selection: properties.length === 0 ? undefined : properties },
    ...page,
    version: undefined,
    maxBytes,
    includeTotalCount: false,
    matchEstimate: undefined,
  }
  const stored = await objects.readPage(request, context)
  // No version is requested, so the latest is read, which is never reclaimed.
  if (stored === 'reclaimed') return { sources: [], last: undefined, more: false }
  const text = Buffer.from(stored.records).toString('utf8')
  stored.release()
  const rows = JSON.parse(`[${text}]`) as [unknown, Record<string, unknown>][]
  const sources = rows.map(([value, found]) => ({ key: value, properties: found }))
  return { sources, last: stored.last, more: stored.more }
}

/** Returns the links of each source, or undefined if they are more than the limit. */
export async function readLinks(
  sources: readonly LinkSource[],
  sides: readonly LinkSide[],
  limit: number,
  reader: LinkReader,
): Promise<SourceLinks[] | undefined> {
  const links: unknown[][][] = sources.map(() => [])
  let remaining = limit
  for (const side of sides) {
    const linked = await readSide(sources, side, remaining, reader)
    if (linked === undefined) return undefined
    for (const [index, source] of sources.entries()) {
      const keys = linked.get(canonical(side, linkingValue(source, side)) ?? '') ?? []
      remaining -= keys.length
      links[index]?.push(keys)
    }
    if (remaining < 0) return undefined
  }
  return links
}

/** Returns the keys of the linked objects by the value that links them; undefined if too many. */
async function readSide(
  sources: readonly LinkSource[],
  side: LinkSide,
  limit: number,
  reader: LinkReader,
): Promise<Map<string, unknown[]> | undefined> {
  const { linkedType, linkedProperty, keyType } = side
  const linked = new Map<string, unknown[]>()
  const values = new Map(
    sources.map((source) => {
      const value = linkingValue(source, side)
      return [canonical(side, value), value]
    }),
  )
  values.delete(undefined)
  if (values.size === 0) return linked
  const query: Query = {
    kind: 'oneOf',
    field: { property: linkedProperty, structField: undefined },
    values: [...values.values()].map((value) => readComparedValue(keyType, value)),
  }
  let count = 0
  let after: Cursor | undefined
  for (;;) {
    const page = { after, maxObjects: CHUNK }
    const found = await readSources(linkedType, query, [linkedProperty], page, reader)
    for (const { key, properties } of found.sources) {
      const value = canonical(side, properties[linkedProperty]) ?? ''
      const keys = linked.get(value)
      if (keys === undefined) linked.set(value, [key])
      else keys.push(key)
    }
    count += found.sources.length
    if (count > limit) return undefined
    if (!found.more) return linked
    after = found.last
  }
}

/** Returns the value by which a side links an object. */
function linkingValue({ key, properties }: LinkSource, side: LinkSide): unknown {
  return side.cardinality === 'ONE' ? properties[side.ownProperty] : key
}

/** Returns a text that equal values of a link's type share; undefined if no object has such a key. */
function canonical({ keyType }: LinkSide, value: unknown): string | undefined {
  if (value === undefined) return undefined
  try {
    return readPrimaryKey(keyType, value).pk
  } catch (error) {
    if (error instanceof RefusedValue) return undefined
    throw error
  }
}

/** Reads the links of one source that follow a linked object, up to a limit of at least one. */
export async function readLinksOfOne(
  source: LinkSource,
  side: LinkSide,
  page: { readonly after: Cursor | undefined; readonly maxObjects: number },
  reader: LinkReader,
): Promise<KeyedPage> {
  const value = linkingValue(source, side)
  const { linkedType, linkedProperty, keyType } = side
  if (canonical(side, value) === undefined) return { sources: [], last: undefined, more: false }
  return readSources(linkedType, propertyEquals(linkedProperty, keyType, value), [], page, reader)
}
