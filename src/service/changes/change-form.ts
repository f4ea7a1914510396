/** How a page of changes describes each of them, as JSON. */
import type { ObjectType } from '../../ontology/ontology.ts'

export interface ChangeForm {
  /** Distinguishes the pages of different forms. */
  readonly name: string
  /** What stands before and after the record of an object that was added or changed. */
  readonly put: readonly [before: string, after: string]
  /** Returns what stands for an object that was deleted. */
  readonly deleted: (primaryKey: unknown, objectType: ObjectType) => object
}

/** The changes of one type. */
export const CHANGES: ChangeForm = {
  name: 'changes',
  put: ['{"put":', '}'],
  deleted: (primaryKey) => ({ delete: { primaryKey } }),
}

/** The changes of several types. Deletes name the type of the object. */
export const SET_CHANGES: ChangeForm = {
  name: 'set changes',
  put: CHANGES.put,
  deleted: (primaryKey, { apiName }) => ({ delete: { primaryKey, objectType: apiName } }),
}
