/**
 * Pages of links. A page covers up to 1,000 objects of a set, and has at most 100,000 links. If their
 * links are more, the page covers fewer objects. If even one object has more, its links are spread
 * over several pages, so that no link is missing.
 */

import type { LinkSide, ObjectType } from '../../ontology/ontology.ts'
import { readPrimaryKey } from '../../ontology/values/primary-key.ts'
import { LINK_PAGE_SIZES } from '../../paging/page-limits.ts'
import { matchAll } from '../../query/combine-queries.ts'
import type { Query } from '../../query/query.ts'
import type { Cursor } from '../../store/object-store.ts'
import { keyEquals } from './find-object.ts'
import {
  type LinkReader,
  type LinkSource,
  readLinks,
  readLinksOfOne,
  readSources,
  type SourceLinks,
} from './read-links.ts'

/** Which links to read. */
export interface LinkPageSpec {
  readonly objectType: ObjectType
  readonly query: Query
  readonly sides: readonly LinkSide[]
  /** The position that the previous page ended at. */
  readonly after: LinkPosition | undefined
}

/** After all links of an object, or after one of its links. */
export type LinkPosition = { readonly afterSource: Cursor } | PositionInSource

interface PositionInSource {
  /** The text of the object's key. */
  readonly source: string
  readonly side: number
  /** Undefined before the first link of the side. */
  readonly afterLinked: Cursor | undefined
}

export interface LinkPage {
  readonly entries: readonly LinkEntry[]
  /** Undefined after the last page. */
  readonly next: LinkPosition | undefined
}

/** An object and what it is linked to. */
interface LinkEntry {
  readonly json: string
  /** The number of objects that the entry names. */
  readonly objects: number
}

/** What a link takes on the wire, roughly. */
const LINK_BYTES = 100

export async function readLinkPage(spec: LinkPageSpec, reader: LinkReader): Promise<LinkPage> {
  const byBytes = Math.max(1, Math.floor(reader.maxBytes / LINK_BYTES))
  const maxLinks = Math.min(LINK_PAGE_SIZES.links, byBytes)
  const { after } = spec
  if (after !== undefined && 'source' in after) return resumeSource(spec, after, maxLinks, reader)
  return readPageAfter(spec, after?.afterSource, maxLinks, reader)
}

async function readPageAfter(
  spec: LinkPageSpec,
  after: Cursor | undefined,
  maxLinks: number,
  reader: LinkReader,
): Promise<LinkPage> {
  const { objectType, query, sides } = spec
  const wanted = { after, maxObjects: LINK_PAGE_SIZES.sources }
  const page = await readSources(objectType, query, foreignKeys(sides), wanted, reader)
  let { sources } = page
  for (;;) {
    const links = await readLinks(sources, sides, maxLinks, reader)
    if (links !== undefined) {
      const entries = sources.map((source, index) => entryOf(spec, source, links[index] ?? []))
      const last = sources.at(-1)
      const isWhole = sources.length === page.sources.length
      if (last === undefined || (isWhole && !page.more)) return { entries, next: undefined }
      return { entries, next: { afterSource: cursorOf(objectType, last) } }
    }
    const [first, ...others] = sources
    if (first !== undefined && others.length === 0) {
      const isLast = page.sources.length === 1 && !page.more
      return readPartly(spec, first, { side: 0, after: undefined, isLast }, maxLinks, reader)
    }
    sources = sources.slice(0, Math.ceil(sources.length / 2))
  }
}

/** Continues with the links of an object, if it still exists. */
async function resumeSource(
  spec: LinkPageSpec,
  { source: key, side, afterLinked }: PositionInSource,
  maxLinks: number,
  reader: LinkReader,
): Promise<LinkPage> {
  const { objectType, query, sides } = spec
  const itself = matchAll([keyEquals(objectType, key), query])
  const one = { after: undefined, maxObjects: 1 }
  const { sources } = await readSources(objectType, itself, foreignKeys(sides), one, reader)
  const cursor = { pk: readPrimaryKey(objectType.primaryKey.type, key).pk, version: 0 }
  const [source] = sources
  if (source === undefined) return readPageAfter(spec, cursor, maxLinks, reader)
  const next = await readSources(objectType, query, [], { ...one, after: cursor }, reader)
  const from = { side, after: afterLinked, isLast: next.sources.length === 0 }
  return readPartly(spec, source, from, maxLinks, reader)
}

interface PartlyFrom {
  readonly side: number
  readonly after: Cursor | undefined
  /** Whether no other object follows. */
  readonly isLast: boolean
}

/** Reads links of one object that has too many for one page: those of one side at a time. */
async function readPartly(
  spec: LinkPageSpec,
  source: LinkSource,
  { side: index, after, isLast }: PartlyFrom,
  maxLinks: number,
  reader: LinkReader,
): Promise<LinkPage> {
  const { objectType, sides } = spec
  const side = sides[index]
  if (side === undefined) throw new Error(`no link ${index}`)
  const page = await readLinksOfOne(source, side, { after, maxObjects: maxLinks }, reader)
  const keys = page.sources.map(({ key }) => key)
  const entries = [entryOf(spec, source, [...sides.slice(0, index).map(() => []), keys])]
  const { text } = readPrimaryKey(objectType.primaryKey.type, source.key)
  if (page.more) return { entries, next: { source: text, side: index, afterLinked: page.last } }
  if (index + 1 < sides.length) {
    return { entries, next: { source: text, side: index + 1, afterLinked: undefined } }
  }
  return { entries, next: isLast ? undefined : { afterSource: cursorOf(objectType, source) } }
}

function cursorOf({ primaryKey }: ObjectType, { key }: LinkSource): Cursor {
  return { pk: readPrimaryKey(primaryKey.type, key).pk, version: 0 }
}

/** Returns the properties that the sides need of the source. */
function foreignKeys(sides: readonly LinkSide[]): string[] {
  const needed = sides.filter(({ cardinality }) => cardinality === 'ONE')
  return [...new Set(needed.map(({ ownProperty }) => ownProperty))]
}

/** Returns an entry, which names objects by type and key. */
function entryOf(
  { objectType, sides }: LinkPageSpec,
  { key }: LinkSource,
  links: SourceLinks,
): LinkEntry {
  const linkedObjects = sides.flatMap(({ apiName, linkedType }, index) =>
    (links[index] ?? []).map((linkedKey) => ({
      targetObject: locator(linkedType, linkedKey),
      linkType: apiName,
    })),
  )
  const json = JSON.stringify({ sourceObject: locator(objectType, key), linkedObjects })
  return { json, objects: 1 + linkedObjects.length }
}

function locator({ apiName }: ObjectType, key: unknown) {
  return { __primaryKey: key, __apiName: apiName }
}
