import { describe, expect, it } from 'vitest'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import { percentileFraction } from './metrics.ts'
import { parseAggregation, type WrittenAggregation } from './parse-aggregation.ts'
import { readTimeStep, stepStartJson } from './time-step.ts'
import { V2_AGGREGATIONS } from './v2-aggregations.ts'

const ontology = parseDefinition({
  apiName: 'things',
  rid: 'ri.ontology.main.ontology.1',
  objectTypes: [
    {
      apiName: 'thing',
      rid: 'ri.ontology.main.object-type.1',
      primaryKey: 'id',
      properties: { id: { type: 'string' }, whole: { type: 'integer' }, date: { type: 'date' } },
    },
  ],
})
const objectType = ontology.objectTypes.get('thing')
if (objectType === undefined) throw new Error('no type')

const limits = { maxDepth: 3, maxTerms: 20, maxTextLength: 100 }
const parse = (written: WrittenAggregation) =>
  parseAggregation(V2_AGGREGATIONS, written, { objectType, limits })

describe('aggregations of v2', () => {
  it('become one tree', () => {
    expect(
      parse({
        aggregation: [
          { type: 'count', direction: 'DESC' },
          { type: 'min', propertyIdentifier: { type: 'property', apiName: 'date' } },
          { type: 'max', field: 'id', name: 'last' },
          { type: 'exactDistinct', field: 'whole', direction: null },
          { type: 'approximatePercentile', field: 'date', approximatePercentile: 0 },
        ],
        groupBy: [{ type: 'exact', field: 'whole', defaultValue: '-1', maxGroupCount: 5 }],
      }),
    ).toEqual({
      metrics: [
        { kind: 'count', name: 'count', direction: 'desc' },
        { kind: 'min', name: 'min_date', property: 'date', type: 'date', times: 'text' },
        { kind: 'max', name: 'last', property: 'id', type: 'string' },
        { kind: 'distinct', name: 'exactDistinct_whole', property: 'whole', type: 'integer' },
        {
          kind: 'percentile',
          name: 'approximatePercentile_date',
          property: 'date',
          type: 'date',
          times: 'text',
          fraction: 0,
        },
      ],
      groupings: [
        {
          kind: 'exact',
          property: 'whole',
          type: 'integer',
          maxGroups: 5,
          absent: { value: -1 },
        },
      ],
    })
  })
})

describe('percentiles', () => {
  it('select the nearest rank for every number of values', () => {
    for (const percentile of [0.1, 1, 7, 29, 33.3, 50, 55, 57, 99, 99.9, 100]) {
      const fraction = percentileFraction(percentile)
      for (let count = 1; count <= 1000; count += 1) {
        // In tenths of a percent, so that the rank is computed in integers.
        const rank = Math.ceil((Math.round(percentile * 10) * count) / 1000)
        expect([rank / count >= fraction, (rank - 1) / count < fraction]).toEqual([true, true])
      }
    }
  })
})

describe('steps of time', () => {
  it('name intervals by their start', () => {
    const start = (type: 'date' | 'timestamp', unit: 'WEEKS' | 'QUARTERS', number: bigint) => {
      const step = readTimeStep(type, 1, unit)
      return typeof step === 'string' ? step : stepStartJson(type, step, number)
    }
    expect(start('date', 'WEEKS', 0n)).toBe('"1969-12-29"')
    expect(start('timestamp', 'WEEKS', 1n)).toBe('"1970-01-05T00:00:00Z"')
    expect(start('date', 'QUARTERS', 0n)).toBe('"0000-01-01"')
    expect(start('timestamp', 'QUARTERS', 39_999n)).toBe('"9999-10-01T00:00:00Z"')
  })

  it('have limits', () => {
    expect(readTimeStep('timestamp', 2, 'MONTHS')).toBe('requires the value 1 for the unit MONTHS')
    expect(readTimeStep('date', 24, 'HOURS')).toMatch('shorter than a day')
    expect(readTimeStep('date', 2, 'DAYS')).toEqual({ unit: 'seconds', count: 172_800 })
  })
})
