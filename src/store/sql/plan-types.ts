/**
 * Plans what saving an ontology does to its stored object types, and refuses what would invalidate
 * stored objects. The stores only run the steps.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../ontology/definition/definition-schema.ts'

/** An object type as it is stored; the definition is its JSON text. */
export interface StoredType {
  readonly id: number
  readonly rid: string
  readonly definition: string
}

export type TypeStep =
  | { readonly kind: 'add'; readonly definition: ObjectTypeDefinition }
  | {
      readonly kind: 'update'
      readonly id: number
      readonly definition: ObjectTypeDefinition
      readonly isChanged: boolean
      /** True if the titles of all objects must be written again. */
      readonly hasNewTitle: boolean
      /** True for a breaking change of an empty type: it gets a new table. */
      readonly isRecreated: boolean
    }
  | { readonly kind: 'drop'; readonly id: number; readonly rid: string }

export function planTypes(
  stored: readonly StoredType[],
  { objectTypes }: OntologyDefinition,
  breakingChanges: OntologyChange['breakingChanges'],
): readonly TypeStep[] {
  const storedByRid = new Map(stored.map((type) => [type.rid, type]))
  const recreated = new Set(breakingChanges.map(({ typeRid }) => typeRid))
  const steps = objectTypes.map((definition): TypeStep => {
    const rid = definition.rid ?? ''
    const earlier = storedByRid.get(rid)
    storedByRid.delete(rid)
    if (earlier === undefined) return { kind: 'add', definition }
    const isChanged = JSON.stringify(definition) !== earlier.definition
    const { titleProperty } = JSON.parse(earlier.definition) as ObjectTypeDefinition
    const hasNewTitle = isChanged && titleProperty !== definition.titleProperty
    const isRecreated = recreated.has(rid)
    return { kind: 'update', id: earlier.id, definition, isChanged, hasNewTitle, isRecreated }
  })
  const dropped = [...storedByRid.values()].map(
    ({ id, rid }): TypeStep => ({ kind: 'drop', id, rid }),
  )
  return [...steps, ...dropped]
}

/** Throws `OntologyChangeRefused` if a breaking change concerns a type that has objects. */
export function refuseBreakingChanges(
  breakingChanges: OntologyChange['breakingChanges'],
  hasObjects: (typeRid: string) => boolean,
): void {
  const reasons = breakingChanges
    .filter(({ typeRid }) => hasObjects(typeRid))
    .flatMap((change) => change.reasons)
  if (reasons.length > 0) throw new ObjectQueryError('OntologyChangeRefused', { reasons })
}

/**
 * The breaking change of dropping a type. `planChange` reports it already; checking it again before
 * the type is deleted makes sure that objects are never dropped.
 */
export function dropOfType(typeRid: string): OntologyChange['breakingChanges'] {
  return [{ typeRid, reasons: ['an object type has objects and is left out'] }]
}

/** The error for a definition that was checked against an older catalogue. */
export function definitionOutOfSync(): ObjectQueryError {
  return new ObjectQueryError('OntologyDefinitionOutOfSync', {
    reason: 'another definition was saved at the same time',
  })
}
