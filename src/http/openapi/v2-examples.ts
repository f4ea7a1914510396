/** Examples of the endpoints of v2 that read objects, metadata and object sets. */

import { AIRPORT_RID, CITIES, GROUPS, LINK_TYPE, ONTOLOGY, TOKEN, TYPE_RID } from './demo-names.ts'

const PROPERTY_RID = 'ri.ontology.main.property.7d0c2f11-52aa-8f0e-b1d4-0c9e5a3f7b21'
const LINK_RID = 'ri.ontology.main.relation.2b8e4d70-91c3-8a5f-8e62-f14d7c0a9b35'
const SET_RID = 'ri.object-set.main.temporary-object-set.4f7a1d0e-2c6b-4e39-9f85-b1c0d2e3f4a5'

const property = (type: string) => ({
  dataType: { type },
  rid: PROPERTY_RID,
  visibility: 'NORMAL',
  typeClasses: [],
})
const OBJECT_TYPE = {
  apiName: 'airport',
  displayName: 'Airport',
  status: 'ACTIVE',
  pluralDisplayName: 'Airport',
  icon: { type: 'blueprint', name: 'cube', color: '#4C90F0' },
  primaryKey: 'iata',
  properties: { iata: property('string'), runwayFeet: property('integer') },
  rid: TYPE_RID,
  titleProperty: 'name',
  visibility: 'NORMAL',
}
const LINK_TYPE_V2 = { ...LINK_TYPE, linkTypeRid: LINK_RID }
const FULL_OBJECT_TYPE = {
  objectType: OBJECT_TYPE,
  linkTypes: [LINK_TYPE_V2],
  implementsInterfaces: [],
  implementsInterfaces2: {},
  sharedPropertyTypeMapping: {},
}

const AIRPORT = {
  __primaryKey: 'ZRH',
  __apiName: 'airport',
  __title: 'Zurich Airport',
  iata: 'ZRH',
  name: 'Zurich Airport',
  runwayFeet: 12_139,
}
const COUNTRY = {
  __primaryKey: 'CH',
  __apiName: 'country',
  __title: 'Switzerland',
  code: 'CH',
  name: 'Switzerland',
}

const SWISS_AIRPORTS = {
  type: 'filter',
  objectSet: { type: 'base', objectType: 'airport' },
  where: { type: 'eq', field: 'countryCode', value: 'CH' },
}

const AGGREGATION = {
  aggregation: [
    { type: 'count', direction: 'DESC' },
    { type: 'max', field: 'runwayFeet' },
  ],
  groupBy: [{ type: 'exact', field: 'countryCode', maxGroupCount: 1 }],
}
const SCHEDULED = { type: 'eq', field: 'scheduledService', value: true }
const AGGREGATED = { ...GROUPS, accuracy: 'ACCURATE' }
const BASE = { type: 'base', objectType: 'airport' }

export const V2_EXAMPLES = {
  aggregateObjectsV2: {
    request: { ...AGGREGATION, where: SCHEDULED },
    response: AGGREGATED,
  },
  aggregateObjectSet: {
    request: {
      ...AGGREGATION,
      objectSet: { type: 'filter', objectSet: BASE, where: SCHEDULED },
    },
    response: AGGREGATED,
  },
  listOntologiesV2: { response: { data: [ONTOLOGY] } },
  getOntologyV2: { response: ONTOLOGY },
  getOntologyFullMetadata: {
    response: {
      ontology: ONTOLOGY,
      objectTypes: { airport: FULL_OBJECT_TYPE },
      actionTypes: {},
      actionTypesFullMetadata: {},
      queryTypes: {},
      interfaceTypes: {},
      sharedPropertyTypes: {},
      valueTypes: {},
    },
  },
  listObjectTypesV2: {
    parameters: { pageSize: 1 },
    response: { data: [OBJECT_TYPE], nextPageToken: TOKEN },
  },
  getObjectTypeV2: { response: OBJECT_TYPE },
  getObjectTypeFullMetadata: { response: FULL_OBJECT_TYPE },
  getObjectTypesByRid: {
    request: { requests: [{ objectTypeRid: TYPE_RID }] },
    response: { data: [OBJECT_TYPE] },
  },
  listOutgoingLinkTypesV2: { parameters: CITIES, response: { data: [LINK_TYPE_V2] } },
  getOutgoingLinkTypeV2: {
    parameters: CITIES,
    response: LINK_TYPE_V2,
  },
  listQueryTypes: { response: { data: [] } },
  listObjectsV2: {
    parameters: {
      pageSize: 1,
      select: 'name',
      orderBy: 'properties.runwayFeet:desc',
    },
    response: {
      data: [
        {
          __rid: 'ri.phonograph2-objects.main.object.2a1e6a1b-0f63-8f43-a6c2-7c1de0b2c9f5',
          __primaryKey: 'BPX',
          __apiName: 'airport',
          __title: 'Changdu Bangda Airport',
          iata: 'BPX',
          name: 'Changdu Bangda Airport',
        },
      ],
      nextPageToken: TOKEN,
      totalCount: '10131',
    },
  },
  getObjectV2: {
    parameters: { select: 'name,runwayFeet' },
    response: { __rid: AIRPORT_RID, ...AIRPORT },
  },
  countObjects: { response: { count: 10_131 } },
  searchObjectsV2: {
    request: {
      where: { type: 'containsAllTermsInOrderPrefixLastTerm', field: 'name', value: 'zur' },
      orderBy: { orderType: 'relevance', fields: [] },
      select: ['name', 'runwayFeet'],
      excludeRid: true,
      pageSize: 100,
    },
    response: { data: [{ ...AIRPORT, __score: 1 }], totalCount: '1' },
  },
  listLinkedObjectsV2: {
    parameters: { select: 'name', excludeRid: true },
    response: { data: [COUNTRY] },
  },
  getLinkedObjectV2: {
    parameters: { select: 'name', excludeRid: true },
    response: COUNTRY,
  },
  loadObjects: {
    request: {
      objectSet: SWISS_AIRPORTS,
      orderBy: { fields: [{ field: 'runwayFeet', direction: 'asc' }] },
      selectV2: [
        { type: 'property', apiName: 'name' },
        { type: 'property', apiName: 'runwayFeet' },
      ],
      excludeRid: true,
      snapshot: true,
      pageSize: 10_000,
    },
    response: { data: [AIRPORT], totalCount: '15', propertySecurities: [] },
  },
  loadLinks: {
    request: {
      objectSet: {
        type: 'filter',
        objectSet: { type: 'base', objectType: 'airport' },
        where: { type: 'eq', field: 'iata', value: 'ZRH' },
      },
      links: ['country'],
    },
    response: {
      data: [
        {
          sourceObject: { __primaryKey: 'ZRH', __apiName: 'airport' },
          linkedObjects: [
            { targetObject: { __primaryKey: 'CH', __apiName: 'country' }, linkType: 'country' },
          ],
        },
      ],
    },
  },
  createTemporaryObjectSet: {
    request: { objectSet: SWISS_AIRPORTS },
    response: { objectSetRid: SET_RID },
  },
  getObjectSet: { parameters: { objectSetRid: SET_RID }, response: SWISS_AIRPORTS },
}
