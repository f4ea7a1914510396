import { Type } from 'typebox'
import { resolveOntology } from '../../access/find-visible.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { LINK_PAGE_MAX_TYPES, PRIMARY_KEY_MAX_BYTES } from '../../contract/limits.ts'
import { closed, namedObject } from '../../contract/schema-parts.ts'
import { findLink } from '../../ontology/definition/links.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { LINK_PAGE_SIZES } from '../../paging/page-limits.ts'
import type { PageState } from '../../paging/page-token.ts'
import type { FingerprintedRequest } from '../../paging/walk-tokens.ts'
import type { Query } from '../../query/query.ts'
import { plainQuery, typeIdentity } from '../../query/query-tree.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import { readSingleTypeSet } from '../../service/object-sets/read-object-set.ts'
import { type LinkPosition, readLinkPage } from '../../service/pages/read-link-page.ts'
import { endpoint } from '../endpoint.ts'
import { sendPage } from '../response/send-data.ts'
import { bodyPaging, NextPageToken } from '../schemas/paging.ts'
import { ignoredMembers, ObjectSet } from './body-members.ts'

const DESCRIPTION = `
Returns an entry for each object of the set, with the objects that it is linked to. Objects are named
by type and primary key. A page covers up to ${LINK_PAGE_SIZES.sources} objects and has at most
${LINK_PAGE_SIZES.links} links; it covers fewer objects if they have more links. The links of one
object can be spread over several entries.
`

const Locator = namedObject('ObjectLocator', {
  __primaryKey: Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
  __apiName: Type.String(),
})

const LinksPage = Type.Object({
  data: Type.Array(
    namedObject('ObjectLinks', {
      sourceObject: Locator,
      linkedObjects: Type.Array(
        namedObject('LinkedObject', { targetObject: Locator, linkType: Type.String() }),
      ),
    }),
  ),
  nextPageToken: NextPageToken,
})

const LoadLinksBody = Type.Object(
  {
    objectSet: ObjectSet,
    links: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: LINK_PAGE_MAX_TYPES,
      description: 'API names of link types.',
    }),
    pageToken: bodyPaging.pageToken,
    includeComputeUsage: ignoredMembers.includeComputeUsage,
  },
  closed,
)

function fingerprintedRequest(
  ontology: Ontology,
  objectType: ObjectType,
  query: Query,
  links: readonly string[],
): FingerprintedRequest {
  return {
    endpoint: JSON.stringify(['loadLinks', ...links]),
    revision: 'v2',
    ontologyRid: ontology.rid,
    objectType: typeIdentity(objectType),
    query: plainQuery(query),
    order: [],
    selection: undefined,
    snapshot: false,
  }
}

/** In place of the version of a cursor: the key is a position among the links of an object. */
const IN_SOURCE = -1

/** Returns the state of a page token at a position. */
function stateOf(position: LinkPosition, startedAtMs: number | undefined): PageState {
  const walk = { served: 0, totalCount: undefined, snapshot: undefined, startedAtMs }
  if ('afterSource' in position) return { ...walk, after: position.afterSource }
  const { source, side, afterLinked } = position
  const pk = JSON.stringify([source, side, ...(afterLinked ? [afterLinked.pk] : [])])
  if (Buffer.byteLength(pk) > PRIMARY_KEY_MAX_BYTES) {
    throw new ObjectQueryError('LoadObjectSetLinksNotSupported', {
      reason: 'an object has too many links to objects with long primary keys for one page',
    })
  }
  return { ...walk, after: { pk, version: IN_SOURCE } }
}

function positionOf({ after }: PageState): LinkPosition {
  if (after.version !== IN_SOURCE) return { afterSource: after }
  const [source, side, linked] = JSON.parse(after.pk) as [string, number, string | undefined]
  return {
    source,
    side,
    afterLinked: linked === undefined ? undefined : { pk: linked, version: 0 },
  }
}

export const loadLinks = endpoint({
  route: 'POST /api/v2/ontologies/:ontology/objectSets/loadLinks',
  config: { scope: 'api:ontologies-read', writes: 'nothing' },
  operationId: 'loadLinks',
  summary: 'Load the links of the objects of an object set',
  description: DESCRIPTION,
  body: LoadLinksBody,
  response: LinksPage,
  handle: async (request, reply, services) => {
    const { body, context, caller } = request
    const ontology = resolveOntology(request.catalogue, caller, request.params.ontology)
    const { part, listedTypes } = await readSingleTypeSet(body, ontology, context, services)
    const { objectType } = part
    const links = [...new Set(body.links)]
    const sides = links.map((link) => findLink(ontology, objectType, link))
    const walk = fingerprintedRequest(ontology, objectType, part.query, links)
    const { objects, limits, memory, walkTokens } = services
    const binding = walkTokens.bind(walk, caller.id, ontology.viewId)
    const nowMs = services.now()
    const resumed = walkTokens.resume(body.pageToken, binding, nowMs / 1000)
    const startedAtMs = resumed?.startedAtMs ?? nowMs
    const query = resolveRelativeDates(part.query, startedAtMs)
    memory.refuseWhenFull(context.callerId)
    const { entries, next } = await readLinkPage(
      { objectType, query, sides, after: resumed && positionOf(resumed) },
      { objects, context, maxBytes: limits.pageMaxBytes },
    )
    context.noteRead(
      [objectType, ...sides.map(({ linkedType }) => linkedType)],
      entries.reduce((sum, { objects }) => sum + objects, 0),
    )
    const records = Buffer.from(entries.map(({ json }) => json).join())
    const held = memory.hold(context.callerId, records.length)
    context.defer(() => held.release())
    const state = next && {
      ...stateOf(next, query === part.query ? undefined : startedAtMs),
      listedTypes,
    }
    return sendPage(reply, {
      records,
      nextPageToken: walkTokens.seal(state, binding, nowMs / 1000),
      totalCount: undefined,
      etagInputs: [],
    })
  },
})
