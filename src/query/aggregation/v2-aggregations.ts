/**
 * The metrics and groupings of v2. Properties are written as `field`, a bare name, or as
 * `propertyIdentifier`.
 */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { WIRE_INTEGER_MAX } from '../../contract/limits.ts'
import { closed, documentedWith, flag, optional, text } from '../../contract/schema-parts.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { readComparedValue } from '../compared-value.ts'
import { unionType } from '../parse/union-type.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import { invalidPropertyType, V2_PROPERTIES } from './aggregated-property.ts'
import type { Grouping, TimeStep, TimeType } from './aggregation.ts'
import { GEO_GRID_MAX_SIDE, type GeoBox } from './geo-grid.ts'
import {
  durationReader,
  FIXED_WIDTH,
  type GroupingParser,
  type GroupingParsing,
  positive,
  rangesReader,
  readExact,
  requireMember,
} from './groupings.ts'
import { metricsOf } from './metrics.ts'
import type { AggregationGrammar } from './parse-aggregation.ts'
import { BOUND, readV2Range } from './parse-range.ts'
import { readTimeStep, TIME_UNITS, type TimeUnit } from './time-step.ts'

const Longitude = documentedWith(Type.Number(), { minimum: -180, maximum: 180 })
const Latitude = documentedWith(Type.Number(), { minimum: -90, maximum: 90 })
const Side = documentedWith(positive(), { maximum: GEO_GRID_MAX_SIDE })

const GEO_GRID: GroupingParser = {
  ...unionType('GeoGrid', {
    box: Type.Object(
      { west: Longitude, south: Latitude, east: Longitude, north: Latitude },
      {
        ...closed,
        description:
          'The edges, in degrees. If `west` is greater than `east`, the box crosses the antimeridian.',
      },
    ),
    columns: Side,
    rows: Side,
  }),
  parse: ({ written, path, aggregated }) => {
    const { property, type } = aggregated
    if (type !== 'geopoint') throw invalidPropertyType(aggregated, 'is not a geopoint')
    const box = checkBox(requireMember(written.box, `${path}.box`), `${path}.box`)
    const columns = readSide(written.columns, `${path}.columns`)
    const rows = readSide(written.rows, `${path}.rows`)
    return { kind: 'geoGrid', property, type, grid: { ...box, columns, rows } }
  },
}

function readSide(written: number | null | undefined, path: string): number {
  const count = requireMember(written, path)
  if (count <= GEO_GRID_MAX_SIDE) return count
  throw unprocessable(path, `is more than ${GEO_GRID_MAX_SIDE}`)
}

function checkBox({ west, south, east, north }: GeoBox, path: string): GeoBox {
  if (Math.abs(west) > 180 || Math.abs(east) > 180) {
    throw unprocessable(path, 'has a longitude outside -180 to 180')
  }
  if (Math.abs(south) > 90 || Math.abs(north) > 90) {
    throw unprocessable(path, 'has a latitude outside -90 to 90')
  }
  if (west === east) throw unprocessable(path, 'has no width')
  if (south >= north) throw unprocessable(path, 'has no height: south is not less than north')
  return { west, south, east, north }
}

const EXACT = unionType('Exact', {
  maxGroupCount: optional(
    positive(
      'The number of groups to keep: the first in the order of metrics, otherwise the largest.',
    ),
  ),
  defaultValue: optional(text('The value of objects that have none.')),
  includeNullValues: optional(flag('If true, objects without a value form the group null.')),
})
const RANGES = unionType('Ranges', {
  ranges: Type.Array(Type.Object({ startValue: BOUND, endValue: BOUND }, closed), {
    description:
      'Each from `startValue` up to, but not including, `endValue`; one of them may be absent. They may overlap.',
  }),
})
const DURATION = unionType('Duration', {
  value: documentedWith(
    Type.Integer({
      maximum: WIRE_INTEGER_MAX,
      description: 'The number of units; 1 from `WEEKS` on.',
    }),
    { minimum: 1 },
  ),
  unit: documentedWith(Type.String({ maxLength: 100, description: 'At least `DAYS` for dates.' }), {
    enum: TIME_UNITS,
  }),
})

export const V2_AGGREGATIONS: AggregationGrammar = {
  properties: V2_PROPERTIES,
  components: { metric: 'V2AggregationMetric', grouping: 'V2AggregationGrouping' },
  metrics: metricsOf({ property: V2_PROPERTIES.schema, times: 'text', isExtended: true }),
  groupings: new Map<string, GroupingParser>([
    ['exact', { ...EXACT, parse: readV2Exact }],
    ['fixedWidth', FIXED_WIDTH],
    ['ranges', { ...RANGES, parse: rangesReader(readV2Range) }],
    ['duration', { ...DURATION, parse: durationReader(readStep) }],
    ['geoGrid', GEO_GRID],
  ]),
}

function readV2Exact(parsing: GroupingParsing): Grouping {
  if (parsing.aggregated.elementType !== undefined) return readElements(parsing)
  const exact = readExact(parsing)
  const { defaultValue, includeNullValues } = parsing.written
  if (defaultValue == null) return includeNullValues === true ? { ...exact, absent: 'null' } : exact
  if (includeNullValues === true) {
    throw new ObjectQueryError('DefaultAndNullGroupsNotSupported', {
      parameter: parsing.path,
      property: exact.property,
    })
  }
  parsing.budget.checkText(exact.property, defaultValue)
  try {
    return { ...exact, absent: { value: readComparedValue(exact.type, defaultValue) } }
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error
    throw new ObjectQueryError('InvalidPropertyValue', {
      property: exact.property,
      propertyBaseType: parsing.aggregated.typeName,
      propertyValue: defaultValue,
      reason: error.reason,
    })
  }
}

/** An object without elements is in no group: there is no value that it could have instead. */
function readElements(parsing: GroupingParsing): Grouping {
  const { aggregated, written, path } = parsing
  const { defaultValue, includeNullValues } = written
  for (const [name, isSet] of [
    ['defaultValue', defaultValue != null],
    ['includeNullValues', includeNullValues === true],
  ] as const) {
    if (isSet) throw unprocessable(`${path}.${name}`, 'is not supported for arrays')
  }
  const exact = readExact({
    ...parsing,
    aggregated: { ...aggregated, type: aggregated.elementType },
  })
  return { ...exact, ofElements: true }
}

function readStep({ written, path, aggregated }: GroupingParsing, type: TimeType): TimeStep {
  const value = requireMember(written.value, `${path}.value`)
  const unit = requireMember(written.unit, `${path}.unit`)
  if (!isTimeUnit(unit)) {
    throw new ObjectQueryError('Default:InvalidArgument', {
      parameter: `${path}.unit`,
      value: unit,
      reason: `is not a unit of time; allowed units: ${TIME_UNITS.join(', ')}`,
    })
  }
  const step = value < 1 ? 'is less than 1' : readTimeStep(type, value, unit)
  if (typeof step !== 'string') return step
  const { property } = aggregated
  throw new ObjectQueryError('InvalidDurationGroupByValue', { property, value, unit, reason: step })
}

function isTimeUnit(unit: string): unit is TimeUnit {
  return (TIME_UNITS as readonly string[]).includes(unit)
}
