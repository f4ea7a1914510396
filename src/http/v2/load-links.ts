import { Type } from 'typebox'
import { resolveOntology } from '../../access/find-visible.ts'
import { LINK_PAGE_MAX_TYPES } from '../../contract/limits.ts'
import { closed, namedObject } from '../../contract/schema-parts.ts'
import { LINK_PAGE_SIZES } from '../../paging/page-limits.ts'
import { readSingleTypeSet } from '../../service/object-sets/read-object-set.ts'
import { readLinkPage } from '../../service/pages/read-link-page.ts'
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

export const loadLinks = endpoint({
  route: 'POST /api/v2/ontologies/:ontology/objectSets/loadLinks',
  config: { scope: 'api:ontologies-read', writes: 'nothing' },
  operationId: 'loadLinks',
  summary: 'Load the links of the objects of an object set',
  description: DESCRIPTION,
  body: LoadLinksBody,
  response: LinksPage,
  handle: async (request, reply, services) => {
    const { body, context, caller, catalogue, params } = request
    const ontology = resolveOntology(catalogue, caller, params.ontology)
    const { part, listedTypes } = await readSingleTypeSet(body, ontology, context, services)
    const { links, pageToken } = body
    const spec = { ontology, part, listedTypes, links, pageToken }
    return sendPage(reply, await readLinkPage(request, spec, services))
  },
})
