/** Changes of definitions: their plans, as dry runs return them, and those that run in the background. */
import { type Static, Type } from 'typebox'
import { flag, integer, namedObject, text, texts, time } from './schema-parts.ts'

const CHANGE_KINDS = [
  'added',
  'renamed',
  'widened',
  'reread',
  'reindexed',
  'constrained',
  'rekeyed',
  'dropped',
] as const

const PlannedChange = namedObject('PlannedChange', {
  kind: Type.Enum([...CHANGE_KINDS], {
    description:
      '`widened`: every value fits the new type. `reread`: each value is read again as the new type, and must fit. `reindexed`: the terms of each value are read again in another language. `constrained`: a constraint is new, and every value must satisfy it. `rekeyed`: another property is the primary key.',
  }),
  objectType: Type.String(),
  property: Type.Optional(text('Absent if the whole type changes.')),
  linkType: Type.Optional(text('The link type, if one changes.')),
  from: Type.Optional(text('The name, the type or the language before the change.')),
  to: Type.Optional(text('The type or the language after the change.')),
  objects: integer('The number of stored objects that are rewritten or deleted.'),
})

const UnfitObjects = Type.Array(
  namedObject('UnfitObject', {
    objectType: Type.String(),
    primaryKey: Type.String(),
    property: Type.Optional(Type.String()),
    reason: Type.String(),
  }),
  { description: 'The first stored objects that do not fit the new definition.' },
)

export const ChangePlan = namedObject(
  'ChangePlan',
  {
    pending: flag(
      'Whether the definition differs from the one in force, if only in a description, which is none of the `changes`.',
    ),
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

export const ChangeResponse = namedObject(
  'OntologyChange',
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
