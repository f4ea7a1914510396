/** The examples of aggregations in v2. */

const AGGREGATION = {
  aggregation: [
    { type: 'count', direction: 'DESC' },
    { type: 'max', field: 'runwayFeet' },
  ],
  groupBy: [{ type: 'exact', field: 'countryCode', maxGroupCount: 1 }],
}

const WHERE = { type: 'eq', field: 'scheduledService', value: true }

const RESPONSE = {
  excludedItems: 3721,
  accuracy: 'ACCURATE',
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

export const V2_AGGREGATION_EXAMPLES = {
  aggregateObjectsV2: {
    parameters: { ontology: 'aviation', objectType: 'airport' },
    request: { ...AGGREGATION, where: WHERE },
    response: RESPONSE,
  },
  aggregateObjectSet: {
    parameters: { ontology: 'aviation' },
    request: {
      ...AGGREGATION,
      objectSet: {
        type: 'filter',
        objectSet: { type: 'base', objectType: 'airport' },
        where: WHERE,
      },
    },
    response: RESPONSE,
  },
}
