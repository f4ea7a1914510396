/** Names of the demo that examples use. RIDs and tokens differ from installation to installation. */

export const RID = 'ri.ontology.main.ontology.0f1f5c0e-7b1a-4c57-9a53-2f0a4c1d2b3e'
export const TYPE_RID = 'ri.ontology.main.object-type.5f0a7c51-1c1e-4a53-8f57-9a1d2b3e4c5f'
export const AIRPORT_RID = 'ri.phonograph2-objects.main.object.350a7005-3cd0-88e0-bd1d-2ae673ea2ad8'
export const TOKEN = 'v1.AVWsPDbJqSQWhe8cFIZ57IyQD7z1TeBp'

/** What path parameters are in the examples that do not say otherwise. */
export const DEMO_PATH: Readonly<Record<string, string>> = {
  ontology: 'aviation',
  apiFamily: 'gotham',
  objectType: 'airport',
  primaryKey: 'ZRH',
  linkType: 'country',
  linkedObjectPrimaryKey: 'CH',
  interfaceType: 'Place',
  interfaceLinkType: 'country',
  actionType: 'delete-country',
  policy: 'swiss',
}

export const CITIES = { objectType: 'city' }

export const ONTOLOGY = {
  apiName: 'aviation',
  displayName: 'Aviation',
  description:
    'A demo with open data: airports, flights, and the countries and cities of the world.',
  rid: RID,
}

export const LINK_TYPE = {
  apiName: 'country',
  displayName: 'country',
  status: 'ACTIVE',
  objectTypeApiName: 'country',
  cardinality: 'ONE',
  foreignKeyPropertyApiName: 'countryCode',
}

/** The groups of the examples of aggregations. */
export const GROUPS = {
  excludedItems: 3721,
  data: [
    {
      group: { countryCode: 'US' },
      metrics: [
        { name: 'count', value: 827 },
        { name: 'max_runwayFeet', value: 15_000 },
      ],
    },
  ],
}
