/** The plan of an ontology change, as `applyOntology` returns it with `dryRun`. */

import { type Static, Type } from 'typebox'
import { integer, text, texts } from '../../contract/schema-parts.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type { TriedObjects, TypeState } from '../../store/object-store.ts'

export const PlannedChange = Type.Object({
  kind: Type.Enum(['added', 'renamed', 'widened', 'reread', 'reindexed', 'rekeyed', 'dropped'], {
    description:
      '`widened`: every value fits the new type. `reread`: each value is read again as the new type, and must fit. `reindexed`: the terms of each value are read again in another language. `rekeyed`: another property is the primary key.',
  }),
  objectType: Type.String(),
  property: Type.Optional(text('Absent if the whole type changes.')),
  linkType: Type.Optional(text('The link type, if one changes.')),
  from: Type.Optional(text('The name, the type or the language before the change.')),
  to: Type.Optional(text('The type or the language after the change.')),
  objects: integer('The number of stored objects that are rewritten or deleted.'),
})

export const UnfitObjects = Type.Array(
  Type.Object({
    objectType: Type.String(),
    primaryKey: Type.String(),
    property: Type.Optional(Type.String()),
    reason: Type.String(),
  }),
  { description: 'The first stored objects that do not fit the new definition.' },
)

export const ChangePlan = Type.Object(
  {
    changes: Type.Array(PlannedChange),
    rewrittenObjects: integer('The number of objects that are rewritten.'),
    refused: texts('Why the change would be rejected; empty if it would be carried out.'),
    background: Type.Optional(
      Type.Literal(true, {
        description: 'The change would run in the background, because it rewrites many objects.',
      }),
    ),
    triedObjects: Type.Optional(integer('The number of objects that were converted as a trial.')),
    unfitCount: Type.Optional(integer('The number of these that do not fit the definition.')),
    unfitObjects: Type.Optional(UnfitObjects),
    untried: Type.Optional(
      texts(
        'What was not tried, because there are too many objects: the change may still be rejected for it. Absent if everything was tried.',
      ),
    ),
  },
  { description: 'What a definition would change, returned with `dryRun=true`.' },
)

export type ChangePlan = Static<typeof ChangePlan>

export function describeChange(
  { types, links }: Pick<OntologyChange, 'types' | 'links'>,
  states: readonly TypeState[],
  refused: readonly string[],
): ChangePlan {
  const counts = new Map(states.map(({ typeRid, count }) => [typeRid, count]))
  let rewrittenObjects = 0
  const ofTypes = types.flatMap(({ typeRid, objectType, changes }) => {
    const count = counts.get(typeRid) ?? 0
    if (changes.some(({ rewrites }) => rewrites)) rewrittenObjects += count
    return changes.map(({ rewrites, ...change }) => {
      const isDropped = change.kind === 'dropped'
      return { ...change, objectType, objects: rewrites || isDropped ? count : 0 }
    })
  })
  const ofLinks = links.map((link) => ({ ...link, objects: 0 }))
  return { changes: [...ofTypes, ...ofLinks], rewrittenObjects, refused: [...refused] }
}

/** Adds what the trial of the stored objects has found. */
export function describeTrial(plan: ChangePlan, found: TriedObjects): ChangePlan {
  const { tried, unfit, unfitObjects, untried } = found
  return {
    ...plan,
    refused: [...plan.refused, ...refusalsOf(found)],
    ...(tried > 0 ? { triedObjects: tried } : {}),
    ...(unfit > 0 ? { unfitCount: unfit, unfitObjects: [...unfitObjects] } : {}),
    ...(untried.length > 0 ? { untried: [...untried] } : {}),
  }
}

function refusalsOf({ tried, unfit, unfitObjects }: TriedObjects): string[] {
  const reasons = unfitObjects.map(({ objectType, primaryKey, property, reason }) => {
    const value = property === undefined ? '' : ` ${property}`
    return `object ${primaryKey} of ${objectType}:${value} ${reason}`
  })
  const isWhole = unfit === unfitObjects.length
  return isWhole ? reasons : [...reasons, `${unfit} of ${tried} objects do not fit in all`]
}
