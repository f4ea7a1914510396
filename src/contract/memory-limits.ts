/** Limits of what the service keeps in memory for callers and definitions. Some are defaults of settings. */

/** The bytes of all definitions, of those that one caller created, and what the smallest counts. */
export const DEFINITIONS_MAX_BYTES = 1024 ** 3
export const CALLER_DEFINITIONS_MAX_BYTES = 256 * 1024 ** 2
export const DEFINITION_MIN_COUNTED_BYTES = 64 * 1024

/** The part of the memory budget in which definitions, and views of them, are kept. */
export const DEFINITIONS_MEMORY_SHARE = 1 / 8

/** The size of described metadata of all collections. */
export const METADATA_CACHE_BYTES = 32 * 1024 ** 2

/** The number of object types, those with the most objects, in the status and in the metrics. */
export const STATUS_MAX_TYPES = 1000

/** The share of the connections that one address can have, if it is not a trusted proxy. */
export const ADDRESS_CONNECTIONS_SHARE = 1 / 2

/** The share of the connections with which one caller can follow changes. */
export const FOLLOWERS_SHARE = 1 / 2
