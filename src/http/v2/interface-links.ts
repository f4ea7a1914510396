import { resolveInterfacePath } from '../../access/resolve.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { findInterfaceLink, findInterfaceType } from '../../ontology/catalogue.ts'
import { findLink } from '../../ontology/definition/links.ts'
import type { InterfaceType, Ontology } from '../../ontology/ontology.ts'
import type { SetPart } from '../../query/object-set/parse-object-set.ts'
import type { Query } from '../../query/query.ts'
import { commonType, pageParts, setOrder } from '../../service/object-sets/set-page-parts.ts'
import { objectNotFound, readKey } from '../../service/pages/find-object.ts'
import { followLink, type LinkStart, linkEndpoint } from '../../service/pages/follow-link.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import { endpoint } from '../endpoint.ts'
import { selectedNames } from '../page/listing-parameters.ts'
import { sendPage } from '../response/send-data.ts'
import { ListParameters, readOrderText } from './list-parameters.ts'
import { FlatPage } from './v2-records.ts'

interface NamedStart {
  readonly typeName: string
  readonly primaryKey: string
  readonly linkName: string
}

/** Returns the link of the object type that implements a link of the interface. */
function startOf(
  ontology: Ontology,
  interfaceType: InterfaceType,
  { typeName, primaryKey, linkName }: NamedStart,
): LinkStart {
  findInterfaceLink(interfaceType, linkName)
  const implementation = interfaceType.implementations.get(typeName)
  if (implementation === undefined) {
    throw new ObjectQueryError('ObjectTypeNotFound', {
      objectType: typeName,
      interfaceType: interfaceType.apiName,
    })
  }
  const own = implementation.links.get(linkName)
  if (own === undefined) {
    throw new ObjectQueryError('LinkTypeNotFound', { objectType: typeName, linkType: linkName })
  }
  const { objectType } = implementation
  const key = readKey(objectType, primaryKey)
  if (key === undefined) throw objectNotFound(objectType, primaryKey)
  return { side: findLink(ontology, objectType, own), key }
}

function linkedPart(
  ontology: Ontology,
  interfaceType: InterfaceType,
  linkName: string,
  { side: { linkedType } }: LinkStart,
  query: Query,
): SetPart {
  const { target } = findInterfaceLink(interfaceType, linkName)
  if (target.kind === 'objectType') return { objectType: linkedType, query }
  const { implementations } = findInterfaceType(ontology, target.apiName)
  return { objectType: linkedType, query, view: implementations.get(linkedType.apiName) }
}

export const listInterfaceLinkedObjects = endpoint({
  route:
    'GET /api/v2/ontologies/:ontology/interfaces/:interfaceType/:objectType/:primaryKey/links/:interfaceLinkType',
  config: { scope: 'api:ontologies-read' },
  operationId: 'listInterfaceLinkedObjects',
  summary: 'List the objects that a link of an interface leads to',
  description:
    'Objects have the properties of the interface, if the link leads to one. If the start object is deleted, a snapshot walk continues and any other walk ends.',
  querystring: ListParameters,
  response: FlatPage,
  handle: async (request, reply, services) => {
    const { objectType: typeName, primaryKey, interfaceLinkType: linkName } = request.params
    const { ontology, interfaceType } = resolveInterfacePath(request, request.params)
    const link = startOf(ontology, interfaceType, { typeName, primaryKey, linkName })
    const { select, orderBy, excludeRid = false } = request.query
    const query = await followLink(link, request.query, request.context, services)
    if (query === undefined) throw objectNotFound(link.side.objectType, primaryKey)

    const parts = [linkedPart(ontology, interfaceType, linkName, link, query)]
    const selection = { select: selectedNames(select) }
    const order = readOrderText(orderBy, commonType(parts, ontology))
    const form = { asInterface: true, prefix: '__', excludeRid } as const
    const spec = {
      endpoint: JSON.stringify([interfaceType.rid, linkName, linkEndpoint(link)]),
      ontology,
      parts: pageParts(parts, selection, form, ontology),
      order: setOrder(order, parts, ontology),
      paging: request.query,
      includeTotalCount: false,
    }
    return sendPage(reply, await readObjectPage(request, spec, services))
  },
})
