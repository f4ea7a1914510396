/** The entry of the package `@object-query-service/client`. */
export type {
  CallOptions,
  ConnectionOptions,
  IdempotentCallOptions,
  ServiceRequest,
  ServiceResponse,
} from './connection.ts'
export { Client, type ClientOptions, createClient } from './create-client.ts'
export type * from './endpoints/administration.ts'
export {
  applyAndWait,
  type DefinitionChange,
  isDefinitionChange,
  type WaitOptions,
  waitForChange,
} from './endpoints/definition-change.ts'
export { Endpoints } from './endpoints/endpoints.ts'
export type * from './endpoints/object-sets.ts'
export type * from './endpoints/pages.ts'
export type * from './endpoints/revision-1.ts'
export type * from './endpoints/revision-2.ts'
export type { Change, ObjectEditor, Patch, TaggedObject } from './object-editor.ts'
export { type ClientErrorName, OqsError, type WalkProgress } from './oqs-error.ts'
export type { Family, FamilyQuery } from './query/family-query.ts'
export type { FollowedPage, FollowOptions } from './query/follow-changes.ts'
export type { LinkedQuery, ObjectQuery } from './query/object-query.ts'
export type { ObjectMetadata, ObjectSetQuery } from './query/object-set-query.ts'
export type { ObjectPage, OnExpired, OnRestart } from './query/query-walk.ts'
export type { Pause, RetryOptions } from './retry.ts'
export type * from './types/aggregate.ts'
export type * from './types/property-types.ts'
export { and, not, or, type Where } from './types/where.ts'
