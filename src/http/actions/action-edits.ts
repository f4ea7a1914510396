/** The edits of applied actions, as v2 returns them. */
import { Type } from 'typebox'
import type { ActionKind } from '../../ontology/ontology.ts'
import { keyValue } from '../../ontology/values/primary-key.ts'
import type { PreparedAction } from '../../service/actions/prepare-action.ts'

export const EditsResponse = Type.Object({
  type: Type.Enum(['edits']),
  edits: Type.Array(
    Type.Object({
      type: Type.Enum(['addObject', 'modifyObject', 'deleteObject']),
      objectType: Type.String(),
      primaryKey: Type.Unknown({ description: 'The primary key, as JSON.' }),
    }),
  ),
  addedObjectCount: Type.Integer(),
  modifiedObjectsCount: Type.Integer(),
  deletedObjectsCount: Type.Integer(),
  addedLinksCount: Type.Integer(),
  deletedLinksCount: Type.Integer(),
})

const EDITS = { create: 'addObject', modify: 'modifyObject', delete: 'deleteObject' } as const

/** Describes the edits. Clients that know no deletions get only their number. */
export function describeEdits(actions: readonly PreparedAction[], listDeletions: boolean) {
  const count = (kind: ActionKind) =>
    actions.filter(({ actionType }) => actionType.kind === kind).length
  return {
    type: 'edits' as const,
    edits: actions
      .filter(({ actionType }) => listDeletions || actionType.kind !== 'delete')
      .map(({ actionType, key }) => ({
        type: EDITS[actionType.kind],
        objectType: actionType.objectType.apiName,
        primaryKey: keyValue(actionType.objectType.primaryKey.type, key.text),
      })),
    addedObjectCount: count('create'),
    modifiedObjectsCount: count('modify'),
    deletedObjectsCount: count('delete'),
    addedLinksCount: 0,
    deletedLinksCount: 0,
  }
}
