/**
 * The port between the service and its databases. A store keeps versioned rows: each commit on an
 * object type creates the type's next version, and a page is read as of one version.
 */
import type { Credentials } from './port/credentials.ts'
import type { Definitions } from './port/definitions.ts'
import type { Maintenance } from './port/maintenance.ts'
import type { Objects, QuickPages } from './port/objects.ts'

export { checksumOf } from './object-checksum.ts'
export type * from './port/column-load.ts'
export type * from './port/credentials.ts'
export type * from './port/definitions.ts'
export type { CatalogueOptions } from './port/definitions.ts'
export type * from './port/maintenance.ts'
export type * from './port/objects.ts'
export * from './port/pages.ts'
export type * from './port/publications.ts'
export * from './port/writes.ts'

/**
 * A store of typed objects. The store contract suite checks what every store guarantees: a commit
 * is visible as a whole or not at all; an acknowledged commit is never lost; a page as of a version
 * never changes, except for titles, which follow the definition.
 */
export interface ObjectStore extends Objects, QuickPages, Definitions, Credentials, Maintenance {}

/**
 * A store without its objects. Parts that serve requests get the objects separately, with the rules
 * of the caller applied, so that nothing can bypass them.
 */
export type StoreBesideObjects = Omit<ObjectStore, keyof Objects | keyof QuickPages>
