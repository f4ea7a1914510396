/** How a rewrite reads stored objects: as they are, or converted to another definition. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { finishInTurns } from '../../../ontology/steps.ts'
import { objectSteps } from '../../../ontology/values/read-object.ts'
import type { UnfitObject } from '../../definition-change.ts'
import { UNFIT_OBJECTS_MAX } from '../../sql/plan-types.ts'
import { type TypeConverter, tryConvert } from '../../sql/stored-change.ts'
import type { CopiedKeys, CopiedObject, ObjectCopier } from './copy-objects.ts'

/** Reads objects as if clients had sent them. Throws `RefusedObject` if the definition forbids one. */
export function unchangedCopier(objectType: ObjectType): ObjectCopier {
  const readSteps = objectSteps(objectType)
  return {
    unfit: [],
    read: async (rows) => {
      const objects: CopiedObject[] = []
      for (const [pk, objectId, key, title, body] of rows) {
        const { searchable } = await finishInTurns(readSteps(JSON.parse(String(body))), nextTurn)
        const object = {
          pk: String(pk),
          objectId: String(objectId),
          key: String(key),
          title: title === null ? null : String(title),
          body: String(body),
          searchable,
        }
        objects.push({ original: object.pk, key: object.key, object })
      }
      return objects
    },
  }
}

/** Converting this many objects takes a few milliseconds. */
const OBJECTS_PER_TURN = 100

/** Converts objects to another definition, and adds those that do not fit to `unfit`. */
export function convertingCopier(
  converter: TypeConverter,
  unfit: UnfitObject[],
  keys: CopiedKeys,
): ObjectCopier {
  return {
    unfit,
    ...(converter.changesKeys ? { keys } : {}),
    read: async (rows) => {
      const objects: CopiedObject[] = []
      for (const [index, [pk, , key, , body]] of rows.entries()) {
        const stored = { original: String(pk), key: String(key), body: String(body) }
        const object = tryConvert(converter, stored, unfit)
        // After the first object that does not fit, the others are only tried.
        if (object !== undefined && unfit.length === 0) objects.push({ ...stored, object })
        if (unfit.length >= UNFIT_OBJECTS_MAX) break
        if (index % OBJECTS_PER_TURN === OBJECTS_PER_TURN - 1) await nextTurn()
      }
      return unfit.length === 0 ? objects : []
    },
  }
}
