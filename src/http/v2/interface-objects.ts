import { type Static, Type } from 'typebox'
import { resolveInterfacePath } from '../../access/find-visible.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { PROPERTIES_MAX, SET_PAGE_MAX_TYPES } from '../../contract/limits.ts'
import { interfaceRecordShape, type RenamedProperty } from '../../contract/object-record.ts'
import { closed, optional } from '../../contract/schema-parts.ts'
import { findInterfaceLink, findInterfaceType, findObjectType } from '../../ontology/catalogue.ts'
import { findLink } from '../../ontology/definition/links.ts'
import type { InterfaceType, Ontology } from '../../ontology/ontology.ts'
import { asObjectType, asQueriedType } from '../../query/interface-query.ts'
import type { SetPart } from '../../query/object-set/parse-object-set.ts'
import { interfaceParts } from '../../query/object-set/set-parts.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'
import { checkSelection, type Selection } from '../../query/selection.ts'
import {
  commonType,
  pageParts,
  setOrder,
  viewedProperties,
} from '../../service/object-sets/set-page-parts.ts'
import { objectNotFound, readKey } from '../../service/pages/find-object.ts'
import { followLink, type LinkStart, linkEndpoint } from '../../service/pages/follow-link.ts'
import type { SetPageSpec } from '../../service/pages/page-spec.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import type { SetPagePart } from '../../store/object-store.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { readSelection, selectedNames } from '../request/listing-parameters.ts'
import { sendPage } from '../response/send-data.ts'
import { bodyPaging } from '../schemas/paging.ts'
import { orderBy, parseWhere, readOrder, refuseRelevance, where } from './body-members.ts'
import { ListParameters, readOrderText } from './list-parameters.ts'
import { CountedFlatPage, FlatPage } from './v2-records.ts'

const ORDER =
  'Without an order, object types follow each other by API name, and objects by primary key.'

const names = (description: string) =>
  optional(Type.Array(Type.String(), { maxItems: PROPERTIES_MAX, description }))

const namesByType = (description: string) =>
  optional(
    Type.Record(Type.String(), Type.Array(Type.String(), { maxItems: PROPERTIES_MAX }), {
      maxProperties: SET_PAGE_MAX_TYPES,
      description,
    }),
  )

const SearchBody = Type.Object(
  {
    where,
    orderBy,
    selectedObjectTypes: names('Object types to search; all that implement it if empty.'),
    selectedSharedPropertyTypes: names('Properties of the interface to return; all if empty.'),
    selectedInterfacePropertyTypes: names('As `selectedSharedPropertyTypes`.'),
    augmentedProperties: namesByType('Further properties to return, by object type.'),
    augmentedSharedPropertyTypes: namesByType(
      'Further properties to return, by interface, of the objects that implement it.',
    ),
    augmentedInterfacePropertyTypes: namesByType('As `augmentedSharedPropertyTypes`.'),
    otherInterfaceTypes: optional(
      Type.Array(Type.String(), {
        maxItems: 0,
        description: 'Must be empty: one request searches one interface.',
      }),
    ),
    pageSize: bodyPaging.pageSize,
    pageToken: bodyPaging.pageToken,
  },
  closed,
)

type SearchBody = Static<typeof SearchBody>

function selectedTypes(
  parts: readonly SetPart[],
  { selectedObjectTypes }: SearchBody,
  ontology: Ontology,
): readonly SetPart[] {
  if (selectedObjectTypes == null || selectedObjectTypes.length === 0) return parts
  const types = selectedObjectTypes.map((name) => findObjectType(ontology, name))
  return parts.filter(({ objectType }) => types.includes(objectType))
}

function shownProperties({ view }: SetPart, selection: Selection): RenamedProperty[] {
  return view === undefined ? [] : viewedProperties(view, selection)
}

/** Returns the further properties of an object type that a search requests. */
function augmentedProperties(
  { objectType, view }: SetPart,
  body: SearchBody,
  ontology: Ontology,
): RenamedProperty[] {
  const shown = new Set(view?.properties.keys())
  const own = checkSelection(body.augmentedProperties?.[objectType.apiName] ?? [], objectType)
  const byInterface = [
    ...Object.entries(body.augmentedSharedPropertyTypes ?? {}),
    ...Object.entries(body.augmentedInterfacePropertyTypes ?? {}),
  ]
  const shared = byInterface.flatMap(([name, properties]) => {
    const interfaceType = findInterfaceType(ontology, name)
    const implementation = interfaceType.implementations.get(objectType.apiName)
    return (checkSelection(properties, asObjectType(interfaceType)) ?? []).flatMap((as) => {
      const property = implementation?.properties.get(as)
      return property === undefined ? [] : [{ property, as }]
    })
  })
  const added = [...(own ?? []).map((property) => ({ property, as: property })), ...shared]
  return added.filter(({ as }) => !shown.has(as) && shown.add(as))
}

function viewedPart(
  { objectType, query }: SetPart,
  properties: readonly RenamedProperty[],
  excludeRid: boolean,
): SetPagePart {
  const shape = interfaceRecordShape(objectType, properties, { excludeRid })
  return { objectType, query, record: { shape, selection: undefined } }
}

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

export const interfaceObjects: readonly Endpoint[] = [
  endpoint({
    route: 'GET /api/v2/ontologies/:ontology/interfaces/:interfaceType',
    config: { scope: 'api:ontologies-read' },
    operationId: 'listInterfaceObjects',
    summary: 'List the objects of an interface',
    description: `Objects of all types that implement the interface, with its properties. ${ORDER}`,
    querystring: ListParameters,
    response: CountedFlatPage,
    handle: async (request, reply, services) => {
      const { ontology, interfaceType } = resolveInterfacePath(request, request.params)
      const type = asObjectType(interfaceType)
      const { select, orderBy, excludeRid = false } = request.query
      const parts = interfaceParts(interfaceType, EVERYTHING)
      const selection = readSelection(select, type)
      const spec: SetPageSpec = {
        kind: 'set',
        endpoint: `listInterfaceObjects/${interfaceType.rid}`,
        ontology,
        parts: parts.map((part) => viewedPart(part, shownProperties(part, selection), excludeRid)),
        order: setOrder(readOrderText(orderBy, type), parts, ontology),
        paging: request.query,
        includeTotalCount: true,
      }
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/interfaces/:interfaceType/search',
    config: { scope: 'api:ontologies-read', writes: 'nothing' },
    operationId: 'searchInterfaceObjects',
    summary: 'Search the objects of an interface',
    description: `Conditions, order and selection name properties of the interface. ${ORDER}`,
    body: SearchBody,
    response: CountedFlatPage,
    handle: async (request, reply, services) => {
      const { body } = request
      const { ontology, interfaceType } = resolveInterfacePath(request, request.params)
      const type = asObjectType(interfaceType)
      const query = parseWhere(
        body.where,
        { objectType: asQueriedType(interfaceType) },
        services.limits.query,
      )
      const parts = selectedTypes(interfaceParts(interfaceType, query), body, ontology)
      const selected = [
        ...(body.selectedSharedPropertyTypes ?? []),
        ...(body.selectedInterfacePropertyTypes ?? []),
      ]
      const selection = checkSelection(selected, type)
      const spec: SetPageSpec = {
        kind: 'set',
        endpoint: `searchInterfaceObjects/${interfaceType.rid}`,
        ontology,
        parts: parts.map((part) => {
          const properties = [
            ...shownProperties(part, selection),
            ...augmentedProperties(part, body, ontology),
          ]
          return viewedPart(part, properties, false)
        }),
        order: setOrder(refuseRelevance(readOrder(body.orderBy, type)), parts, ontology),
        paging: body,
        includeTotalCount: true,
      }
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
  endpoint({
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
      const spec: SetPageSpec = {
        kind: 'set',
        endpoint: JSON.stringify([interfaceType.rid, linkName, linkEndpoint(link)]),
        ontology,
        parts: pageParts(parts, selection, form, ontology),
        order: setOrder(order, parts, ontology),
        paging: request.query,
        includeTotalCount: false,
      }
      return sendPage(reply, await readObjectPage(request, spec, services))
    },
  }),
]
