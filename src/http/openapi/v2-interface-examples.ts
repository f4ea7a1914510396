/** Examples of the endpoints of v2 that read interfaces and objects of several types. */

import { TOKEN } from './demo-names.ts'

const rid = (kind: string) => `ri.ontology.main.${kind}.7d0c2f11-52aa-8f0e-b1d4-0c9e5a3f7b21`

const property = (apiName: string, type: string) => ({
  rid: rid('shared-property-type'),
  apiName,
  displayName: apiName,
  dataType: { type },
  typeClasses: [],
})
const required = { name: property('name', 'string'), location: property('location', 'geopoint') }
const withMember = (member: object) =>
  Object.fromEntries(
    Object.entries(required).map(([name, described]) => [name, { ...described, ...member }]),
  )

const LINK_TYPE = {
  rid: rid('interface-link-type'),
  apiName: 'country',
  displayName: 'country',
  linkedEntityApiName: { type: 'objectTypeApiName', apiName: 'country' },
  cardinality: 'ONE',
  required: false,
}
const INTERFACE_TYPE = {
  rid: rid('interface'),
  apiName: 'Place',
  displayName: 'Place',
  description: 'Anything with a name and a location',
  properties: withMember({ required: true }),
  allProperties: withMember({ required: true }),
  propertiesV2: withMember({ type: 'interfaceSharedPropertyType', required: true }),
  allPropertiesV2: withMember({ requireImplementation: true }),
  extendsInterfaces: [],
  allExtendsInterfaces: [],
  implementedByObjectTypes: ['airport', 'city', 'country'],
  links: { country: LINK_TYPE },
  allLinks: { country: LINK_TYPE },
}

const ANAA = {
  __primaryKey: 'AAA',
  __apiName: 'airport',
  __title: 'Anaa Airport',
  name: 'Anaa Airport',
}
const ZURICH = {
  __primaryKey: 'ZRH',
  __apiName: 'airport',
  __title: 'Zurich Airport',
  name: 'Zurich Airport',
}
const SWITZERLAND = {
  __primaryKey: 'CH',
  __apiName: 'country',
  __title: 'Switzerland',
  code: 'CH',
  name: 'Switzerland',
}
const SET = {
  type: 'filter',
  objectSet: { type: 'interfaceBase', interfaceType: 'Place' },
  where: { type: 'containsAllTerms', field: 'name', value: 'zurich airport' },
}
const LOADED = { $primaryKey: 'ZRH', $apiName: 'airport', $title: 'Zurich Airport' }
const LOAD = {
  objectSet: SET,
  select: ['name'],
  orderBy: { fields: [{ field: 'name', direction: 'asc' }] },
  excludeRid: true,
  pageSize: 1,
}

export const V2_INTERFACE_EXAMPLES = {
  listInterfaceTypes: {
    response: { data: [INTERFACE_TYPE] },
  },
  getInterfaceType: { response: INTERFACE_TYPE },
  listInterfaceLinkTypes: { response: { data: [LINK_TYPE] } },
  getInterfaceLinkType: { response: LINK_TYPE },
  listInterfaceObjects: {
    parameters: { pageSize: 1, select: 'name', excludeRid: true },
    response: { data: [ANAA], nextPageToken: TOKEN, totalCount: '10381' },
  },
  searchInterfaceObjects: {
    request: {
      where: SET.where,
      selectedSharedPropertyTypes: ['name'],
      pageSize: 1,
    },
    response: { data: [ZURICH], totalCount: '1' },
  },
  aggregateInterfaceObjects: {
    request: { aggregation: [{ type: 'count', name: 'places' }] },
    response: {
      data: [{ group: {}, metrics: [{ name: 'places', value: 10_381 }] }],
      accuracy: 'ACCURATE',
    },
  },
  listInterfaceLinkedObjects: {
    parameters: {
      select: 'name',
      excludeRid: true,
    },
    response: { data: [SWITZERLAND] },
  },
  loadObjectsMultipleObjectTypes: {
    request: LOAD,
    response: {
      data: [{ ...LOADED, iata: 'ZRH', name: 'Zurich Airport' }],
      totalCount: '1',
      interfaceToObjectTypeMappings: { Place: { airport: { name: 'name' } } },
      interfaceToObjectTypeMappingsV2: {
        Place: {
          airport: { name: { type: 'localPropertyImplementation', propertyApiName: 'name' } },
        },
      },
      propertySecurities: [],
    },
  },
  loadObjectsOrInterfaces: {
    request: LOAD,
    response: { data: [{ ...LOADED, name: 'Zurich Airport' }], totalCount: '1' },
  },
} as const
