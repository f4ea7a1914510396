/** Aggregations in v2. The parser checks which members go together; its table documents them. */
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import {
  resolveInterfacePath,
  resolveOntology,
  resolveTypePath,
} from '../../access/find-visible.ts'
import { ShownVersion } from '../../access/ruled-objects.ts'
import { errorWithin } from '../../contract/errors.ts'
import { AGGREGATE_MAX_BATCH, AGGREGATE_MAX_BYTES } from '../../contract/limits.ts'
import { closed, namedObject } from '../../contract/schema-parts.ts'
import { GEO_GRID_MAX_SIDE } from '../../query/aggregation/geo-grid.ts'
import { aggregationMembers, parseAggregation } from '../../query/aggregation/parse-aggregation.ts'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import { asQueriedType } from '../../query/interface-query.ts'
import { interfaceParts } from '../../query/object-set/set-parts.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import { hasLink } from '../../query/query-tree.ts'
import {
  type AggregateSpec,
  aggregateBatch,
  aggregateWithin,
  pathInBatch,
} from '../../service/aggregate-within.ts'
import { aggregationOfParts } from '../../service/object-sets/aggregate-parts.ts'
import { readRequestedSet } from '../../service/object-sets/read-object-set.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { sendAggregated, sendAggregatedBatch } from '../response/send-data.ts'
import { AggregatedVersion, groupMembers } from '../schemas/aggregation.ts'
import type { Services } from '../services.ts'
import { ignoredMembers, ObjectSet, parseWhere, where } from './body-members.ts'

/** The members of every aggregation, besides those that select objects and their version. */
const metricMembers = {
  ...aggregationMembers(V2_AGGREGATIONS),
  accuracy: Type.Optional(
    Type.Unsafe<'REQUIRE_ACCURATE' | 'ALLOW_APPROXIMATE' | null>({
      enum: ['REQUIRE_ACCURATE', 'ALLOW_APPROXIMATE', null],
      description: 'Has no effect: results are always accurate.',
    }),
  ),
  includeComputeUsage: ignoredMembers.includeComputeUsage,
}
const commonMembers = { ...metricMembers, version: AggregatedVersion }

const AggregateV2Response = namedObject('AggregationResult', {
  accuracy: Type.Enum(['ACCURATE', 'APPROXIMATE'], {
    description: 'Always `ACCURATE`: no metric is estimated, and no group is dropped silently.',
  }),
  ...groupMembers,
})

/** What every aggregation of v2 does. */
const AGGREGATION_DESCRIPTION = `
Computes metrics over the current objects of a selection, in total or by group.

**Metrics**

- \`count\`: the number of objects.
- \`sum\`, \`avg\`: of numbers. Whole numbers and decimals are summed exactly; only the result is rounded.
- \`min\`, \`max\`: of numbers, dates, timestamps and strings, which compare by code point.
- \`approximateDistinct\`, \`exactDistinct\`: the number of distinct values. Both are exact.
- \`approximatePercentile\`: of numbers, dates and timestamps. The smallest value that at least
  \`approximatePercentile\` percent of the values do not exceed (nearest rank). It is exact.
  The percentage is from 0 to 100: 95, not 0.95.

Numbers are doubles; those that JSON cannot represent are \`"NaN"\`, \`"Infinity"\` or \`"-Infinity"\`.
Dates, timestamps and strings are returned as in objects. Objects without a value of the property are
ignored; a metric over no values has no \`value\`, except for counts.

**Groups**

- \`exact\`: one group per value. Objects without a value are in no group, in the group \`null\`
  (\`includeNullValues\`) or in the group of \`defaultValue\`. An array puts its object into the
  group of each distinct element, once; \`includeNullValues\` and \`defaultValue\` are not supported
  for arrays.
- \`fixedWidth\`: one group per multiple of the width, named by its start.
- \`ranges\`: one group per range. An object is in every range that contains its value, but in at most
  ten groups overall.
- \`duration\`: one group per interval in UTC, named by its start. Intervals of milliseconds to days
  count from 1970-01-01; weeks start on Monday; months, quarters and years are those of the calendar.
- \`geoGrid\` (an extension of this service): one group per cell of a grid over a box, for geopoints.
  The value of a group is the cell: \`{"west", "south", "east", "north"}\`. The box has 1 to ${GEO_GRID_MAX_SIDE}
  \`columns\` and \`rows\`, together at most as many cells as an aggregation may have groups. A position
  between two cells belongs to the eastern or northern one. Cells are ordered from south to north,
  then from west to east.

Empty groups are omitted. Groups are ordered by the metrics with a \`direction\`, then by value; ranges
as in the request. Groups without a value of such a metric come last. \`maxGroupCount\` keeps the first
groups in the order of the metrics, otherwise those with the most objects within each outer group.
\`excludedItems\` is the number of objects in the groups that were dropped.
`

const INTERFACE_DESCRIPTION = `${AGGREGATION_DESCRIPTION}
Objects of all types that implement the interface are aggregated together. Objects have no value for
an optional property that their type does not implement.
`

/** Versions belong to object types, so that only a set of one type has a single version. */
function asOfVersion(spec: AggregateSpec, version: number | null | undefined): AggregateSpec {
  const [source, ...others] = spec.sources
  if (version == null || source === undefined) return spec
  if (others.length > 0 || hasLink(source.query)) {
    throw unprocessable('version', 'is only possible for a set of one object type, without links')
  }
  return {
    ...spec,
    sources: [{ ...source, version: ShownVersion.named(source.objectType, version) }],
  }
}

const ACCURATE = { accuracy: 'ACCURATE' } as const

async function serveAggregated(
  context: ServiceContext,
  reply: FastifyReply,
  services: Services,
  spec: AggregateSpec,
): Promise<FastifyReply> {
  const aggregated = await aggregateWithin(context, services, spec)
  return sendAggregated(reply, aggregated, ACCURATE)
}

const config = { scope: 'api:ontologies-read', writes: 'nothing' } as const
const AggregateBody = namedObject('AggregationBody', { ...commonMembers, where }, closed)

const BATCH_DESCRIPTION = `
An extension of this service: computes up to ${AGGREGATE_MAX_BATCH} aggregations over the objects of one type. They run at
the same time, and all of them read the same version, which the header \`oqs-version\` names.

Each aggregation has its own conditions, metrics and groups, as in \`aggregate\`, and its own limit of
groups. The response may have ${AGGREGATE_MAX_BYTES / 1024 ** 2} MiB. If an aggregation is not valid or exceeds a limit, the request
fails, and \`parameter\` of the error names the aggregation: \`aggregations[2]\` is the third one.
`

export const v2Aggregations: readonly Endpoint[] = [
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objects/:objectType/aggregate',
    config,
    operationId: 'aggregateObjectsV2',
    summary: 'Aggregate objects',
    description: AGGREGATION_DESCRIPTION,
    body: AggregateBody,
    response: AggregateV2Response,
    handle: async (request, reply, services) => {
      const { where: written, version, ...body } = request.body
      const resolved = resolveTypePath(request, request.params)
      const { objectType } = resolved
      const limits = services.limits.query
      const aggregation = parseAggregation(V2_AGGREGATIONS, body, { objectType, limits })
      const query = parseWhere(written, resolved, limits)
      const spec = {
        sources: [{ objectType, query, version: ShownVersion.named(objectType, version) }],
        aggregation,
      }
      return serveAggregated(request.context, reply, services, spec)
    },
  }),
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objects/:objectType/aggregateBatch',
    config,
    operationId: 'aggregateObjectsBatch',
    summary: 'Aggregate objects in several ways',
    description: BATCH_DESCRIPTION,
    body: Type.Object(
      {
        aggregations: Type.Array(Type.Object({ ...metricMembers, where }, closed), {
          minItems: 1,
          maxItems: AGGREGATE_MAX_BATCH,
        }),
        version: AggregatedVersion,
      },
      closed,
    ),
    response: Type.Object({
      data: Type.Array(AggregateV2Response, {
        description: 'The result of each aggregation, in the order of the request.',
      }),
    }),
    handle: async (request, reply, services) => {
      const { aggregations, version } = request.body
      const resolved = resolveTypePath(request, request.params)
      const { objectType } = resolved
      const limits = services.limits.query
      const parts = aggregations.map(({ where: written, ...body }, index) => {
        try {
          const aggregation = parseAggregation(V2_AGGREGATIONS, body, { objectType, limits })
          return { aggregation, query: parseWhere(written, resolved, limits) }
        } catch (error) {
          throw errorWithin(pathInBatch(index), error)
        }
      })
      const batch = { objectType, version: ShownVersion.named(objectType, version), parts }
      const aggregated = await aggregateBatch(request.context, services, batch)
      return sendAggregatedBatch(reply, aggregated, ACCURATE)
    },
  }),
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objectSets/aggregate',
    config,
    operationId: 'aggregateObjectSet',
    summary: 'Aggregate an object set',
    description: AGGREGATION_DESCRIPTION,
    body: Type.Object({ ...commonMembers, objectSet: ObjectSet }, closed),
    response: AggregateV2Response,
    handle: async (request, reply, services) => {
      const { version, ...body } = request.body
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const requested = await readRequestedSet(body, ontology, request.context, services)
      const { parts, listedTypes } = requested
      if (version != null && listedTypes !== undefined) {
        throw unprocessable('version', 'is not possible for a set that lists objects')
      }
      const spec = asOfVersion(
        aggregationOfParts(parts, body, ontology, services.limits.query),
        version,
      )
      return serveAggregated(request.context, reply, services, spec)
    },
  }),
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/interfaces/:interfaceType/aggregate',
    config,
    operationId: 'aggregateInterfaceObjects',
    summary: 'Aggregate the objects of an interface',
    description: INTERFACE_DESCRIPTION,
    body: AggregateBody,
    response: AggregateV2Response,
    handle: async (request, reply, services) => {
      const { where: written, ...body } = request.body
      const { ontology, interfaceType } = resolveInterfacePath(request, request.params)
      const limits = services.limits.query
      const query = parseWhere(written, { objectType: asQueriedType(interfaceType) }, limits)
      const parts = interfaceParts(interfaceType, query)
      const spec = aggregationOfParts(parts, body, ontology, limits)
      return serveAggregated(request.context, reply, services, spec)
    },
  }),
]
