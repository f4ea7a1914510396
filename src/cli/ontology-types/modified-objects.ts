import type { ActionOperation } from './full-metadata.ts'

interface ModifiedObject {
  readonly objectType: string
  readonly isCreated: boolean
  readonly isModified: boolean
}

/** Returns what an action does to each object type; deleted objects are not listed. */
export function modifiedObjects(operations: readonly ActionOperation[]): ModifiedObject[] {
  const names = new Set(
    operations.flatMap(({ objectTypeApiName = [] }) => objectTypeApiName).toSorted(),
  )
  const does = (objectType: string, type: string) =>
    operations.some((one) => one.objectTypeApiName === objectType && one.type === type)
  return [...names]
    .map((objectType) => ({
      objectType,
      isCreated: does(objectType, 'createObject') || does(objectType, 'createOrModifyObject'),
      isModified: does(objectType, 'modifyObject') || does(objectType, 'createOrModifyObject'),
    }))
    .filter(({ isCreated, isModified }) => isCreated || isModified)
}
