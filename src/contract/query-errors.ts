/** The errors of pages, queries and aggregations: a part of the error catalogue. */
import type { CatalogueEntry } from './error-codes.ts'

export const QUERY_ERRORS = {
  InvalidPageSize: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'The page size must be a whole number of at least 1. Values above the maximum are reduced.',
  },
  InvalidPageToken: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'The page token is not valid for this request. Start a new walk without a page token, or continue with the snapshotToken if there is one.',
  },
  ObjectsExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'The walk reached its retrieval limit, and more objects exist. Narrow it with filters, use search by type, which has no limit, or ask the operator to raise the limit.',
  },
  InvalidFields: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A field of a query or an order must have the form properties.NAME.',
  },
  InvalidPropertyValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The value is not valid for the type of the property.',
  },
  InvalidFilterValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The value is not valid for this query type. The parameters give the reason.',
  },
  InvalidTimeZone: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The time zone does not exist. Use a name such as Europe/London.',
  },
  UnknownDistanceUnit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The unit of a distance does not exist. The parameters list the known units.',
  },
  PropertyTypesSearchNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'This query type does not support properties of this type.',
  },
  InvalidAndFilter: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A query of type "and" requires at least one inner query.',
  },
  InvalidOrFilter: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A query of type "or" requires at least one inner query.',
  },
  QueryDepthExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The query is nested too deeply.',
  },
  QueryTermsExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The query has too many conditions.',
  },
  QueryTextExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A text in the query is too long.',
  },
  QueryTimedOut: {
    errorCode: 'TIMEOUT',
    description:
      'The query exceeded its time limit. Narrow it, or ask the operator to raise the limit.',
  },
  QueryMemoryExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'The query exceeded its memory limit. Narrow it, or ask the operator to raise the limit.',
  },
  LoadObjectSetLinksNotSupported: {
    errorCode: 'FAILED_PRECONDITION',
    description: 'The links of an object set cannot be loaded. The parameters give the reason.',
  },
  UnsupportedObjectSet: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'This service does not support object sets of this type.',
  },
  IncompatibleNestedObjectSet: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The object types of an object set do not fit together. The parameters list them.',
  },
  InvalidRangeQuery: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The lower bound of a range is above its upper bound.',
  },
  DuplicateOrderBy: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The order contains a property more than once.',
  },
  InvalidSortOrder: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'The direction of an order term must be asc or desc, optionally followed by nullsFirst or nullsLast.',
  },
  InvalidSortType: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'An order term must begin with properties. or p.',
  },
  InvalidOrderType: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The type of an order must be fields or relevance.',
  },
  PropertiesNotSortable: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Objects cannot be ordered by properties of this type.',
  },
  MalformedPropertyFilters: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A filter must have the form properties.NAME.OPERATOR=VALUE.',
  },
  PropertyFiltersNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'This filter does not support properties of this type.',
  },
  InvalidPropertyFilterValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The value of a filter is not valid for the type of the property.',
  },
  MultiplePropertyValuesNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'This filter accepts only one value.',
  },
  InvalidPropertyType: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'This metric or grouping does not support properties of this type.',
  },
  AggregationMetricNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The metric does not exist.',
  },
  MultipleGroupByOnFieldNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'An aggregation can group by a property only once.',
  },
  InvalidAggregationRange: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'A range must have one lower bound and one upper bound, which is not below the lower one.',
  },
  InvalidAggregationRangeValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'A bound of a range is not valid for the type of the property.',
  },
  InvalidAggregationRangePropertyType: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Only numbers, dates and timestamps can be grouped by ranges.',
  },
  InvalidDurationGroupByPropertyType: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Only dates and timestamps can be grouped by duration.',
  },
  InvalidDurationGroupByValue: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The duration is invalid, or not supported for the type of the property.',
  },
  DefaultAndNullGroupsNotSupported: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'A grouping by value can put objects without a value into a default group or a null group, but not both.',
  },
  InvalidAggregationOrdering: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'Metrics can order the groups of exactly one grouping. Remove the direction, or group by one property.',
  },
  InvalidAggregationOrderingWithNullValues: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'Metrics cannot order groups if one of them is the group of null.',
  },
  AggregationGroupCountExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description:
      'The aggregation has too many groups. Limit them with maxGroupCount, or narrow the query.',
  },
  AggregationMemoryExceededLimit: {
    errorCode: 'INVALID_ARGUMENT',
    description: 'The response would be too large. Request fewer groups or metrics.',
  },
} as const satisfies Record<string, CatalogueEntry>
