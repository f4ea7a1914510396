/**
 * Pages of links. A page covers up to 1,000 objects of a set, and has at most 100,000 links. If their
 * links are more, the page covers fewer objects. If even one object has more, its links are spread
 * over several pages, so that no link is missing.
 */

import { findLink } from '../../ontology/definition/links.ts'
import type { LinkSide, ObjectType, Ontology } from '../../ontology/ontology.ts'
import { primaryKeyText, readPrimaryKey } from '../../ontology/values/primary-key.ts'
import {
  decodeLinkCursor,
  encodeLinkCursor,
  type InsideLinks,
  type LinkCursor,
} from '../../paging/link-cursor.ts'
import { LINK_PAGE_SIZES } from '../../paging/page-limits.ts'
import { matchAll } from '../../query/combine-queries.ts'
import type { SetPart } from '../../query/object-set/parse-object-set.ts'
import type { Query } from '../../query/query.ts'
import { plainQuery, typeIdentity } from '../../query/query-tree.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import type { Cursor } from '../../store/object-store.ts'
import type { ServiceParts } from '../service-parts.ts'
import { keyEquals } from './find-object.ts'
import type { Page, PagedRequest } from './page.ts'
import {
  type LinkReader,
  type LinkSource,
  readLinks,
  readLinksOfOne,
  readSources,
  type SourceLinks,
} from './read-links.ts'
import { readWalkPage, type WalkedPage } from './walk.ts'

/** A request for the links of the objects of a set. */
export interface LinkPageSpec {
  readonly ontology: Ontology
  readonly part: SetPart
  readonly listedTypes: readonly number[] | undefined
  /** API names of link types. */
  readonly links: readonly string[]
  readonly pageToken: string | null | undefined
}

export async function readLinkPage(
  request: PagedRequest,
  { ontology, part, listedTypes, links: named, pageToken }: LinkPageSpec,
  services: ServiceParts,
): Promise<Page> {
  const { objectType, query } = part
  const links = [...new Set(named)]
  const sides = links.map((link) => findLink(ontology, objectType, link))
  const walk = {
    endpoint: JSON.stringify(['links', ...links]),
    revision: 'v2',
    ontologyRid: ontology.rid,
    objectType: typeIdentity(objectType),
    query: plainQuery(query),
    order: [],
    selection: undefined,
    snapshot: false,
  } as const
  const reader = {
    objects: services.objects,
    context: request.context,
    maxBytes: services.limits.pageMaxBytes,
  }
  return readWalkPage(
    request,
    {
      pageToken,
      binding: services.walkTokens.bind(walk, request.caller.id, ontology.viewId),
      read: async ({ resumed, nowSeconds }) => {
        const startedAtMs = resumed?.startedAtMs ?? nowSeconds * 1000
        const resolved = resolveRelativeDates(query, startedAtMs)
        const after = resumed && decodeLinkCursor(resumed.after)
        const page = await readEntries({ objectType, query: resolved, sides, after }, reader)
        const common = {
          startedAtMs: resolved === query ? undefined : startedAtMs,
          listedTypes,
        }
        const types = [objectType, ...sides.map(({ linkedType }) => linkedType)]
        return pageOf(page, types, common)
      },
    },
    services,
  )
}

function pageOf(
  { entries, next }: LinkEntries,
  types: readonly ObjectType[],
  common: WalkedPage['common'],
): WalkedPage {
  return {
    records: Buffer.from(entries.map(({ json }) => json).join()),
    noted: { types, objects: entries.reduce((sum, { objects }) => sum + objects, 0) },
    last: next && encodeLinkCursor(next),
    more: next !== undefined,
    ...(common && { common }),
  }
}

/** The links to read. */
interface LinkRequest {
  readonly objectType: ObjectType
  readonly query: Query
  readonly sides: readonly LinkSide[]
  /** Where the previous page ended. */
  readonly after: LinkCursor | undefined
}

interface LinkEntries {
  readonly entries: readonly LinkEntry[]
  /** Where the page ends; undefined after the last page. */
  readonly next: LinkCursor | undefined
}

/** An object and what it is linked to. */
interface LinkEntry {
  readonly json: string
  /** The number of objects that the entry names. */
  readonly objects: number
}

/** What a link takes on the wire, roughly. */
const LINK_BYTES = 100

async function readEntries(request: LinkRequest, reader: LinkReader): Promise<LinkEntries> {
  const byBytes = Math.max(1, Math.floor(reader.maxBytes / LINK_BYTES))
  const maxLinks = Math.min(LINK_PAGE_SIZES.links, byBytes)
  const { after } = request
  if (after?.inside !== undefined) {
    return resumeSource(request, after.source, after.inside, maxLinks, reader)
  }
  return readPageAfter(request, after && cursorOf(after.source), maxLinks, reader)
}

async function readPageAfter(
  spec: LinkRequest,
  after: Cursor | undefined,
  maxLinks: number,
  reader: LinkReader,
): Promise<LinkEntries> {
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
      return { entries, next: { source: keyOf(objectType, last), inside: undefined } }
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
  spec: LinkRequest,
  pk: string,
  { side, linked }: InsideLinks,
  maxLinks: number,
  reader: LinkReader,
): Promise<LinkEntries> {
  const { objectType, query, sides } = spec
  const itself = keyEquals(objectType, primaryKeyText(objectType.primaryKey.type, pk))
  const first = { after: undefined, maxObjects: 1 }
  const exact = matchAll([itself, query])
  const { sources } = await readSources(objectType, exact, foreignKeys(sides), first, reader)
  const after = cursorOf(pk)
  const [source] = sources
  if (source === undefined) return readPageAfter(spec, after, maxLinks, reader)
  const next = await readSources(objectType, query, [], { ...first, after }, reader)
  const isLast = next.sources.length === 0
  const from = { side, after: linked === undefined ? undefined : cursorOf(linked), isLast }
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
  spec: LinkRequest,
  source: LinkSource,
  { side: index, after, isLast }: PartlyFrom,
  maxLinks: number,
  reader: LinkReader,
): Promise<LinkEntries> {
  const { objectType, sides } = spec
  const side = sides[index]
  if (side === undefined) throw new Error(`no link ${index}`)
  const page = await readLinksOfOne(source, side, { after, maxObjects: maxLinks }, reader)
  const keys = page.sources.map(({ key }) => key)
  const entries = [entryOf(spec, source, [...sides.slice(0, index).map(() => []), keys])]
  const pk = keyOf(objectType, source)
  if (page.more)
    return { entries, next: { source: pk, inside: { side: index, linked: page.last?.pk } } }
  if (index + 1 < sides.length) {
    return { entries, next: { source: pk, inside: { side: index + 1, linked: undefined } } }
  }
  return { entries, next: isLast ? undefined : { source: pk, inside: undefined } }
}

function keyOf({ primaryKey }: ObjectType, { key }: LinkSource): string {
  return readPrimaryKey(primaryKey.type, key).pk
}

/** The key alone is the cursor of a walk in key order. */
function cursorOf(pk: string): Cursor {
  return { pk, version: 0 }
}

/** Returns the properties that the sides need of the source. */
function foreignKeys(sides: readonly LinkSide[]): string[] {
  const needed = sides.filter(({ cardinality }) => cardinality === 'ONE')
  return [...new Set(needed.map(({ ownProperty }) => ownProperty))]
}

/** Returns an entry, which names objects by type and key. */
function entryOf(
  { objectType, sides }: LinkRequest,
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
