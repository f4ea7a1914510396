/**
 * Every number that a client can notice. Settings may move some of them; the values here are what
 * holds when nothing is set.
 */

/** Default and maximum page size of an endpoint; the maximum equals the default [8.1]. */
export const PAGE_SIZES = {
  listObjects: 1000,
  searchObjects: 100,
  searchObjectsRevision1: 1000,
  listLinkedObjects: 1000,
  listObjectTypes: 500,
  listLinkTypes: 500,
} as const

/** Objects that one listing of revision 1.0 may return across all its pages [8.2]. */
export const LIST_OBJECTS_LIMIT = 10_000

/** Life of a page token [2.1.5]. */
export const PAGE_TOKEN_TTL_SECONDS = 300

/** How long the data of a snapshot can still be read after it was taken [4.5.2]. */
export const SNAPSHOT_MAX_AGE_SECONDS = 3600

/** A page ends before it grows past this, but never before its first object [2.1.3]. */
export const PAGE_MAX_BYTES = 4 * 1024 * 1024

/** Bytes of pages that a process keeps for whoever asks for the same again. */
export const PAGE_CACHE_BYTES = 32 * 1024 * 1024

/** A page size is a 32-bit integer on the wire; anything larger is not a page size at all. */
export const PAGE_SIZE_WIRE_MAX = 2_147_483_647

/** Characters of the longest page token, whatever the objects hold. */
export const PAGE_TOKEN_MAX_LENGTH = 1024

/** Bytes of the longest primary key: it travels in page tokens, which stay short. */
export const PRIMARY_KEY_MAX_BYTES = 512

/** Bytes of the largest object, as stored. */
export const OBJECT_MAX_BYTES = 4 * 1024 * 1024

/** Values in the arrays of one object: each has an entry of its own in an index. */
export const OBJECT_MAX_VALUES = 100_000

/** Bytes of the largest batch. */
export const BATCH_MAX_BYTES = 64 * 1024 * 1024

/** Changes in the largest batch. */
export const BATCH_MAX_CHANGES = 100_000

/** Objects that an export reads at once. */
export const EXPORT_CHUNK_OBJECTS = 1000

/** Bytes that an export reads at once, and so holds for a slow client. */
export const EXPORT_CHUNK_BYTES = 1024 * 1024

/** Bytes of the largest JSON request body. */
export const BODY_MAX_BYTES = 1024 * 1024

/** Bytes of the largest ontology definition. */
export const DEFINITION_MAX_BYTES = 4 * 1024 * 1024

/**
 * Properties and struct fields of one ontology. Checking a definition, handing it to a store and
 * reading it again take each about a microsecond per field, during which nothing else is served.
 */
export const DEFINITION_MAX_FIELDS = 30_000

/** Characters of the longest API name. */
export const API_NAME_MAX_LENGTH = 255

/** Object types of one ontology. */
export const OBJECT_TYPES_MAX = 2000

/** Properties of one object type, or fields of one struct. */
export const PROPERTIES_MAX = 1000

/**
 * Properties of all object types that hold objects, in a SQLite store. Each has an index, and after
 * every change of the schema each connection reads all of it: 10,000 take about 30 ms.
 */
export const INDEXED_PROPERTIES_MAX = 10_000

/** Replacements of one object type that may be loading at the same time. */
export const OPEN_REPLACEMENTS_MAX = 10

/** How deep and, or and not may be nested in a query. */
export const QUERY_MAX_DEPTH = 3

/** Conditions, terms and corners that a query may have. */
export const QUERY_MAX_TERMS = 500

/** Properties that an order may name. */
export const ORDER_MAX_TERMS = 20

/** How many conditions a term of a full-text condition counts for. */
export const TEXT_TERM_COST = 5

/** Terms of a query that may be fuzzy: each is compared with every word there is. */
export const FUZZY_MAX_TERMS = 10

/** Characters of the longest text in a query. */
export const QUERY_MAX_TEXT_LENGTH = 10_000

/** Groups that one aggregation may have. */
export const AGGREGATE_MAX_GROUPS = 10_000

/** Metrics of one aggregation: a database table has only so many columns. */
export const AGGREGATE_MAX_METRICS = 100

/** Groupings of one aggregation: a database joins only so many tables. */
export const AGGREGATE_MAX_GROUPINGS = 20

/** Bytes of the answer to an aggregation, roughly: it is made in memory, in one piece. */
export const AGGREGATE_MAX_BYTES = 64 * 1024 * 1024

/** How long one query may run. */
export const QUERY_TIMEOUT_SECONDS = 30

/** Memory of a process that runs slow queries; a query that takes more is stopped. */
export const QUERY_MEMORY_BYTES = 512 * 1024 * 1024

/** Requests of one caller in progress. */
export const MAX_CONCURRENT_REQUESTS = 30

/** Requests of one caller per minute. */
export const RATE_LIMIT_PER_MINUTE = 5000

/** Open connections of all clients. */
export const MAX_CONNECTIONS = 2000

/** A connection whose client takes nothing of an answer for this long is closed. */
export const STALLED_CONNECTION_SECONDS = 30

/** Memory that a process plans to stay within. */
export const MEMORY_BUDGET_BYTES = 2 * 1024 ** 3
export const MEMORY_BUDGET_MIN_BYTES = 512 * 1024 ** 2

/** Memory of a process that serves nothing but small requests. */
export const PROCESS_BASE_BYTES = 192 * 1024 ** 2
