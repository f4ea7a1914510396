/** The limits of the API: sizes, numbers and times of requests. Some are defaults of settings. */

/** The number of link types of one page of links. */
export const LINK_PAGE_MAX_TYPES = 100

/** How long a temporary object set can be used. */
export const TEMPORARY_OBJECT_SET_SECONDS = 3600

/** The number of objects that one walk of revision 1.0 may return across all its pages [8.2]. */
export const LIST_OBJECTS_LIMIT = 10_000

/** The lifetime of a page token [2.1.5]. */
export const PAGE_TOKEN_TTL_SECONDS = 300

/** How long a snapshot can be read after it was taken [4.5.2]. */
export const SNAPSHOT_MAX_AGE_SECONDS = 3600

/** How long changes can be followed from a changes token. */
export const CHANGES_MAX_AGE_SECONDS = 86_400

/** How long a request for changes may wait for some. */
export const CHANGES_MAX_WAIT_SECONDS = 60

/** The byte budget of a page. A page always contains at least one object [2.1.3]. */
export const PAGE_MAX_BYTES = 4 * 1024 * 1024

/** The size of the page cache of a process. */
export const PAGE_CACHE_BYTES = 32 * 1024 * 1024

/** The largest 32-bit integer, which the counts and widths of an aggregation are on the wire. */
export const WIRE_INTEGER_MAX = 2_147_483_647

/** The length of the longest page token. */
export const PAGE_TOKEN_MAX_LENGTH = 2048

/** The size of the longest primary key. Page tokens contain a key, and must stay short. */
export const PRIMARY_KEY_MAX_BYTES = 512

/** The size of the largest object, as stored. */
export const OBJECT_MAX_BYTES = 4 * 1024 * 1024

/** The number of array elements in one object. On PostgreSQL, each has its own index entry. */
export const OBJECT_MAX_VALUES = 50_000

/** The number of positions in the shapes of one object: checking them takes about 0.1 s of CPU time. */
export const OBJECT_MAX_POSITIONS = 100_000

/** The size of the largest batch, and the number of its changes. */
export const BATCH_MAX_BYTES = 64 * 1024 * 1024
export const BATCH_MAX_CHANGES = 100_000

/**
 * The number of changes of a batch of merges, and the bytes of the objects that it changes, which are
 * read before they are written.
 */
export const MERGE_MAX_CHANGES = 1000
export const MERGE_MAX_CURRENT_BYTES = 8 * 1024 * 1024

/** The size of the source transactions that one request can apply, and the number of their changes. */
export const TRANSACTIONS_MAX_BYTES = 4 * 1024 * 1024
export const TRANSACTIONS_MAX_CHANGES = 5000

/** How long a request can be repeated with its idempotency key. */
export const IDEMPOTENCY_KEY_TTL_SECONDS = 86_400

/** The length of the longest idempotency key. */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255

/** How long an access token of an OAuth client is valid. */
export const ACCESS_TOKEN_SECONDS = 3600

/** How long an authorization code can be exchanged. */
export const AUTHORIZATION_CODE_SECONDS = 600

/** A refresh token that is not used for this long expires, and its grant with it. */
export const REFRESH_TOKEN_IDLE_SECONDS = 30 * 86_400

/** How long a client that lost the response can use a refresh token again. */
export const REFRESH_TOKEN_REUSE_SECONDS = 60

/** The number of actions that one request can apply. */
export const ACTION_BATCH_MAX = 20

/** The number of resources that one request can get by RID. */
export const RID_BATCH_MAX = 100

/** The number of objects that an export reads at once. */
export const EXPORT_CHUNK_OBJECTS = 2000

/** The bytes that an export reads at once, and so the memory that a slow client holds. */
export const EXPORT_CHUNK_BYTES = 2 * 1024 * 1024

/** The size of the largest JSON request body. */
export const BODY_MAX_BYTES = 1024 * 1024

/** The size of the largest ontology definition. */
export const DEFINITION_MAX_BYTES = 4 * 1024 * 1024

/** The maximum number of mistakes that the error for an invalid definition lists. */
export const DEFINITION_MISTAKES_MAX = 20

/**
 * The number of properties and struct fields in one ontology. Checking, saving and loading a
 * definition each block the main thread for about a microsecond per field.
 */
export const DEFINITION_MAX_FIELDS = 30_000

/** How deep structs can be nested: no value may exhaust the stack. */
export const STRUCT_MAX_DEPTH = 16

/**
 * The objects, and the bytes of their properties, in the largest tier of relevance that is sorted by
 * score; larger ones are sorted by key. Scoring a tier reads all its objects for each page.
 */
export const RANKED_TIER_MAX = { objects: 10_000, bytes: 8 * 1024 * 1024 } as const

/** A term that more objects have than this gets the weight of one that all objects have. */
export const TERM_OBJECTS_COUNTED = 1000

/** The length of the longest API name. */
export const API_NAME_MAX_LENGTH = 255

/** The number of object types in one ontology. */
export const OBJECT_TYPES_MAX = 2000

/** The number of object types that one page can merge; the token holds a version of each. */
export const SET_PAGE_MAX_TYPES = 100

/** The size of the queries of one such page, together: each type has its own copy of a filter. */
export const SET_PAGE_MAX_QUERY_BYTES = 64 * 1024 * 1024

/** Interface types of one ontology. */
export const INTERFACE_TYPES_MAX = 1000

/** How many interfaces an object type or an interface type can list. */
export const INTERFACES_PER_TYPE_MAX = 100

/** The number of properties in one object type, or of fields in one struct. */
export const PROPERTIES_MAX = 1000

/**
 * The number of properties in all non-empty object types of a SQLite store. Each has an index, and
 * after a schema change every connection reads the whole schema: about 30 ms for 10,000 indexes.
 */
export const INDEXED_PROPERTIES_MAX = 10_000

/**
 * The number of struct fields in a SQLite store that have a column and an index of their own. Further
 * ones are read from the body; a table has at most 2,000 columns.
 */
export const INDEXED_STRUCT_FIELDS_MAX = 900

/** The number of open replacements of one object type. */
export const OPEN_REPLACEMENTS_MAX = 10

/** The number of current objects that publishing a replacement can keep. */
export const MERGED_OBJECTS_MAX = 100_000

/**
 * The number of objects, of all types together, that a change of a definition rewrites at once, in a
 * transaction that other writers of the types wait for. A larger change runs in the background.
 */
export const REWRITTEN_AT_ONCE_MAX = 100_000

/** How long a dry run of a changed definition reads objects. Many proxies and clients wait no longer. */
export const DRY_RUN_MAX_SECONDS = 120

/** The number of objects of a type whose new primary keys a dry run compares; 16 bytes each. */
export const DRY_RUN_MAX_KEYS = 1_000_000

/** The number of value types of an ontology. */
export const VALUE_TYPES_MAX = 1000

/** The number of constraints of one property, and of the options of an `enum`. */
export const CONSTRAINTS_MAX = 20
export const ENUM_OPTIONS_MAX = 10_000

/** The number of violations that a refused write lists. */
export const VIOLATIONS_MAX = 20

/** How deep `and`, `or` and `not` may be nested in a query. */
export const QUERY_MAX_DEPTH = 3

/** How deep object sets may be nested in each other. Every method call of an SDK adds a level. */
export const OBJECT_SET_MAX_DEPTH = 32

/** How many objects the static sets of an object set may list together. */
export const OBJECT_SET_MAX_OBJECTS = 10_000

/** The size of the temporary object sets that one object set may refer to, together. */
export const OBJECT_SET_MAX_STORED_BYTES = 8 * 1024 * 1024

/** How many links an object set may follow. */
export const OBJECT_SET_MAX_LINKS = 10

/** The number of conditions, terms and polygon positions in a query. */
export const QUERY_MAX_TERMS = 500

/** The number of properties in an order. */
export const ORDER_MAX_TERMS = 20

/** The length of a list with an order; a longer one is refused before it is looked at. */
export const ORDER_LIST_MAX = 1000

/** How many conditions a full-text term counts as. */
export const TEXT_TERM_COST = 5

/** The number of fuzzy terms in a query: each is compared with every indexed term. */
export const FUZZY_MAX_TERMS = 10

/** The length of the longest text in a query. */
export const QUERY_MAX_TEXT_LENGTH = 10_000

/** The number of values in a list that a property is compared with. */
export const IN_MAX_VALUES = 10_000

/** How many values of such a list count as one condition. */
export const IN_VALUES_PER_TERM = 100

/** The number of values in a query. A filter of several object types counts once for each of them. */
export const QUERY_MAX_VALUES = 25_000

/** The length of the longest wildcard or regular expression. */
export const PATTERN_MAX_LENGTH = 1000

/** The largest count in a repetition of a regular expression, as in `a{2,255}`. */
export const PATTERN_MAX_REPEAT = 255

/** The number of characters of a pattern after its repetitions are written out. */
export const PATTERN_MAX_SIZE = 1000

/** How deep the rules of `interval` may be nested. */
export const INTERVAL_MAX_DEPTH = 5

/** The number of edits in a fuzzy term of `interval`. */
export const INTERVAL_MAX_EDITS = 2

/** How deep the groups of a regular expression may be nested. */
export const PATTERN_MAX_DEPTH = 20

/** How many characters of a pattern count as one condition. */
export const PATTERN_SIZE_PER_TERM = 20

/** The number of groups in the result of an aggregation. */
export const AGGREGATE_MAX_GROUPS = 10_000

/** The number of aggregations in one request. Each of them may have all groups and metrics. */
export const AGGREGATE_MAX_BATCH = 100

/** The number of metrics in an aggregation: databases limit the columns of a result. */
export const AGGREGATE_MAX_METRICS = 100

/** The number of groups that one object can be in: overlapping ranges multiply the work. */
export const AGGREGATE_MAX_OVERLAPS = 10

/** The number of groupings in an aggregation: databases limit the tables in a join. */
export const AGGREGATE_MAX_GROUPINGS = 20

/** The approximate size of a response with groups, which is built in memory. */
export const AGGREGATE_MAX_BYTES = 64 * 1024 * 1024

/** The time limit of a query. */
export const QUERY_TIMEOUT_SECONDS = 30

/** The memory limit of a process that runs slow queries; a query that exceeds it is stopped. */
export const QUERY_MEMORY_BYTES = 512 * 1024 * 1024

/** The number of concurrent requests of one caller. */
export const MAX_CONCURRENT_REQUESTS = 30

/** The number of requests of one caller per minute. */
export const RATE_LIMIT_PER_MINUTE = 5000

/** The number of open connections of all clients. */
export const MAX_CONNECTIONS = 2000

/**
 * The descriptors that a process keeps for everything but connections of clients: threads, database
 * files or connections, pipes to other processes. About 60 are used under load, on either database.
 */
export const RESERVED_DESCRIPTORS = 96

/** A connection whose client reads nothing of a response for this long is closed. */
export const STALLED_CONNECTION_SECONDS = 30

/** The memory budget of a process. */
export const MEMORY_BUDGET_BYTES = 2 * 1024 ** 3
export const MEMORY_BUDGET_MIN_BYTES = 512 * 1024 ** 2

/** The memory of a process that serves only small requests. */
export const PROCESS_BASE_BYTES = 192 * 1024 ** 2

/** The number of keys in one record of the audit log; the record counts the others. */
export const AUDIT_KEYS_MAX = 100

/** The number of dropped names in one record of the audit log; the record counts the others. */
export const AUDIT_NAMES_MAX = 100

/** How long records of the audit log are kept. */
export const AUDIT_RETENTION_DAYS = 90

/** The number of records in a page of the audit log. */
export const AUDIT_PAGE_SIZE = 100
export const AUDIT_MAX_PAGE_SIZE = 500
