/**
 * Plans what saving an ontology does to its stored object types, and refuses what would drop values
 * without permission. The stores only run the steps.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import {
  isDroppedType,
  rewritesObjects,
  type TypeChange,
} from '../../ontology/definition/type-change.ts'
import { refuseDependents } from '../../ontology/definition/without-type.ts'
import type { OntologyDeletion } from '../object-store.ts'
import type { UnfitObject } from '../port/definitions.ts'

/** An object type as it is stored; the definition is its JSON text. */
export interface StoredType {
  readonly id: number
  readonly rid: string
  readonly definition: string
  /** The number of current objects. */
  readonly objects: number
  /** The number of objects in replacements that are being loaded. */
  readonly loading: number
}

/** The parts of a change that the plan depends on: plain data, which can be sent to a thread. */
export interface PlannedChange extends Pick<OntologyChange, 'types' | 'allowDataLoss'> {
  readonly definition: OntologyDefinition
  /** True if stored objects are left as they are, because the transaction is rolled back. */
  readonly isDryRun?: boolean
  /** A change that rewrites more objects than this is a background change. */
  readonly rewrittenAtOnceMax?: number
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
    }
  /** An empty type gets a new table. */
  | { readonly kind: 'recreate'; readonly id: number; readonly definition: ObjectTypeDefinition }
  /** All objects are converted into a new table. */
  | RewriteStep
  | { readonly kind: 'drop'; readonly id: number }

export interface RewriteStep {
  readonly kind: 'rewrite'
  readonly id: number
  readonly definition: ObjectTypeDefinition
  readonly change: TypeChange
}

/** Returns the steps, or throws `OntologyChangeRefused`. */
export function planTypes(
  stored: readonly StoredType[],
  change: PlannedChange,
): readonly TypeStep[] {
  const { objectTypes } = change.definition
  refuseChange(stored, change)
  const storedByRid = new Map(stored.map((type) => [type.rid, type]))
  const changes = new Map(change.types.map((one) => [one.typeRid, one]))
  const steps = objectTypes.map((definition): TypeStep => {
    const rid = definition.rid ?? ''
    const earlier = storedByRid.get(rid)
    storedByRid.delete(rid)
    if (earlier === undefined) return { kind: 'add', definition }
    const { id } = earlier
    const typeChange = changes.get(rid)
    if (typeChange !== undefined && rewritesObjects(typeChange)) {
      if (earlier.objects === 0) return { kind: 'recreate', id, definition }
      return { kind: 'rewrite', id, definition, change: typeChange }
    }
    const isChanged = JSON.stringify(definition) !== earlier.definition
    const { titleProperty } = JSON.parse(earlier.definition) as ObjectTypeDefinition
    const hasNewTitle = isChanged && titleProperty !== definition.titleProperty
    return { kind: 'update', id, definition, isChanged, hasNewTitle }
  })
  const dropped = [...storedByRid.values()].map(({ id }): TypeStep => ({ kind: 'drop', id }))
  return [...steps, ...dropped]
}

/** Returns the number of objects that a change rewrites. */
export function countRewritten(stored: readonly StoredType[], change: PlannedChange): number {
  const ids = new Set(typesToRewrite(stored, change).map(({ id }) => id))
  return stored.reduce((sum, { id, objects }) => sum + (ids.has(id) ? objects : 0), 0)
}

/**
 * Returns the types whose objects a background change rewrites, including types without objects,
 * which may have some before the change is published.
 */
export function typesToRewrite(
  stored: readonly StoredType[],
  { types, definition }: PlannedChange,
): RewriteStep[] {
  const ids = new Map(stored.map(({ rid, id }) => [rid, id]))
  const definitions = new Map(definition.objectTypes.map((type) => [type.rid, type]))
  return types.filter(rewritesObjects).flatMap((change) => {
    const [id, ofType] = [ids.get(change.typeRid), definitions.get(change.typeRid)]
    if (id === undefined || ofType === undefined) return []
    return [{ kind: 'rewrite', id, definition: ofType, change }]
  })
}

function refuseChange(stored: readonly StoredType[], change: PlannedChange): void {
  const byRid = new Map(stored.map((type) => [type.rid, type]))
  const reasons = change.types.flatMap((type) => {
    const { objects = 0, loading = 0 } = byRid.get(type.typeRid) ?? {}
    const loads = loading === 0 ? [] : openLoads(type, loading, change)
    if (objects === 0) return loads
    const lost = change.allowDataLoss ? [] : losses(type, objects, change)
    return [...loads, ...lost]
  })
  if (reasons.length > 0) throw new ObjectQueryError('OntologyChangeRefused', { reasons })
}

/** Throws if an ontology that is to be deleted has objects. Its types must be locked. */
export function refuseDeletion(
  stored: readonly StoredType[],
  { apiName, cascade }: Pick<OntologyDeletion, 'apiName' | 'cascade'>,
): void {
  if (cascade) return
  const dependents = stored.flatMap(({ definition, objects, loading }) => {
    const type = (JSON.parse(definition) as ObjectTypeDefinition).apiName
    return [
      ...(objects === 0 ? [] : [`object type ${type} with its objects (${objects})`]),
      ...(loading === 0
        ? []
        : [`the objects that are loaded into object type ${type} (${loading})`]),
    ]
  })
  refuseDependents(dependents, `oqs ontology delete ${apiName}`)
}

/** Each reason names the option that allows it. */
function losses(type: TypeChange, count: number, { definition }: PlannedChange): string[] {
  const { objectType } = type
  const has = count === 1 ? 'has 1 object' : `has ${count} objects`
  if (isDroppedType(type)) {
    const path = `/api/admin/v1/ontologies/${definition.apiName}/objectTypes/${objectType}`
    const command = `oqs ontology delete ${definition.apiName} ${objectType}`
    return [
      `object type ${objectType} ${has} and is missing from the definition. To rename it, set renamedFrom; to delete it, use DELETE ${path} (${command})`,
    ]
  }
  return type.changes.flatMap(({ kind, property }) =>
    kind === 'dropped'
      ? [
          `property ${objectType}.${property} is missing from the definition, and ${objectType} ${has}. To rename it, set renamedFrom; to drop its values, use allowDataLoss=true (oqs ontology apply --allow-data-loss)`,
        ]
      : [],
  )
}

/** The objects being loaded were parsed by the earlier definition. */
function openLoads(type: TypeChange, count: number, { allowDataLoss }: PlannedChange): string[] {
  const isDropped = isDroppedType(type)
  if (isDropped ? allowDataLoss : !rewritesObjects(type)) return []
  return [
    `${count} objects are being loaded into object type ${type.objectType}. Publish or abandon the replacement first`,
  ]
}

/** The number of objects that do not fit to report; the rest are not tried. */
export const UNFIT_OBJECTS_MAX = 10

/** Throws if stored objects do not fit the new definition. */
export function refuseUnfit(unfit: readonly UnfitObject[]): void {
  if (unfit.length === 0) return
  throw new ObjectQueryError('OntologyChangeRefused', {
    reasons: reasonsOf(unfit),
    unfitObjects: unfit,
  })
}

export function reasonsOf(unfit: readonly UnfitObject[]): string[] {
  return unfit.map(({ objectType, primaryKey, property, reason }) => {
    const value = property === undefined ? '' : ` ${property}`
    return `object ${primaryKey} of ${objectType}:${value} ${reason}`
  })
}

/** Throws if another ontology has taken the name or a family of the ontology to save. */
export function refuseTaken(apiName: string | undefined, families: readonly string[]): void {
  const reasons = [
    ...(apiName === undefined ? [] : [`another ontology is named ${apiName}`]),
    ...families.map((family) => `the family ${family} belongs to another ontology`),
  ]
  if (reasons.length > 0) throw new ObjectQueryError('OntologyChangeRefused', { reasons })
}

/** The error for a definition that was checked against an older catalogue. */
export function definitionOutOfSync(): ObjectQueryError {
  return new ObjectQueryError('OntologyDefinitionOutOfSync', {
    reason: 'another definition was saved at the same time',
  })
}
