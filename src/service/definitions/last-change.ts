/** The last background change of a definition, as it is described to callers. */

import { type Static, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { integer, text, texts, time } from '../../contract/schema-parts.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { DefinitionChange, Definitions } from '../../store/object-store.ts'
import { describeChange, PlannedChange, UnfitObjects } from './change-plan.ts'

export const ChangeResponse = Type.Object(
  {
    id: Type.String(),
    ontologyRid: Type.String(),
    state: Type.Enum(['running', 'published', 'failed', 'cancelled'], {
      description:
        'The definition is in force when the change is `published`; until then, and if the change has `failed` or was `cancelled`, the earlier one is.',
    }),
    startedAt: time(),
    changes: Type.Array(PlannedChange),
    objectTypes: Type.Array(
      Type.Object({
        objectType: text('By its name in the new definition.'),
        phase: Type.Enum(['copying', 'indexing', 'catchingUp', 'failed']),
        objects: integer('The number of objects that are converted.'),
        totalObjects: Type.Integer(),
      }),
      { description: 'The progress of each type with objects to convert, while it is running.' },
    ),
    loadingObjects: Type.Optional(
      integer(
        'The number of objects that are being loaded into these types. The change waits until their replacements are published or abandoned.',
      ),
    ),
    reasons: texts('Why the change has failed.'),
    unfitObjects: UnfitObjects,
  },
  { description: 'A background change of a definition, running or ended.' },
)
export type ChangeResponse = Static<typeof ChangeResponse>

/** Returns the last change of an ontology, or throws `OntologyChangeNotFound`. */
export async function describeLastChange(
  store: Definitions,
  { rid, apiName }: Pick<Ontology, 'rid' | 'apiName'>,
): Promise<ChangeResponse> {
  const change = await store.definitionChanges.find(rid)
  if (change === undefined) throw changeNotFound(apiName)
  const states = await store.readTypeStates(rid)
  const { changes } = describeChange(change, states, [])
  return { ontologyRid: rid, ...toResponse(change), changes }
}

function toResponse(change: DefinitionChange): Omit<ChangeResponse, 'ontologyRid' | 'changes'> {
  const { id, state, startedAtMs, types, rewrites, loadingObjects, reasons, unfitObjects } = change
  const names = new Map(types.map(({ typeRid, objectType }) => [typeRid, objectType]))
  return {
    id,
    state,
    startedAt: new Date(startedAtMs).toISOString(),
    objectTypes: rewrites.map(({ typeRid, phase, objects, totalObjects }) => ({
      objectType: names.get(typeRid) ?? typeRid,
      phase,
      objects,
      totalObjects,
    })),
    ...(loadingObjects > 0 ? { loadingObjects } : {}),
    reasons: [...reasons],
    unfitObjects: [...unfitObjects],
  }
}

export function changeNotFound(ontology: string): ObjectQueryError {
  return new ObjectQueryError('OntologyChangeNotFound', { ontology })
}
