/**
 * A background change of a definition, as the catalogue stores it. Its types are rewritten, and
 * published together with the definition.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import type { Mistake } from '../../ontology/definition/mistakes.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import { isSameType, type PropertyType } from '../../ontology/definition/property-type.ts'
import type { RenamedProperties } from '../../ontology/definition/type-change.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Steps } from '../../ontology/pausable-work.ts'
import { objectConverter } from '../../ontology/values/convert-object.ts'
import type { RefusedObject, StoredObject } from '../../ontology/values/read-object.ts'
import type { UnfitObject } from '../port/definitions.ts'
import type { PlannedChange } from './plan-definition-change.ts'

/** The parts of a change that are stored: plain data. */
export type ChangePlan = PlannedChange & Pick<OntologyChange, 'links'>

/** Stores maps as lists of their entries, which JSON can express. */
export function encodeChange({ definition, types, links, allowDataLoss }: ChangePlan): string {
  const entries = types.map(({ renamed, ...type }) => ({ ...type, renamed: [...renamed] }))
  return JSON.stringify({ definition, types: entries, links, allowDataLoss })
}

export function decodeChange(text: string): ChangePlan {
  const { types, ...plan } = JSON.parse(text) as Omit<ChangePlan, 'types'> & {
    readonly types: readonly EncodedType[]
  }
  return { ...plan, types: types.map((type) => ({ ...type, renamed: new Map(type.renamed) })) }
}

type EncodedType = Omit<ChangePlan['types'][number], 'renamed'> & {
  readonly renamed: readonly (readonly [string, string])[]
}

/** The error for a definition that is sent while another change is running. */
export function changeInProgress(ontology: string, changeId: string): ObjectQueryError {
  return new ObjectQueryError('OntologyChangeInProgress', { ontology, changeId })
}

/** How the objects of one type are converted. */
export interface TypeConverter {
  /** The type after the change. */
  readonly type: ObjectType
  /** Throws `RefusedObject` if a value does not fit. */
  readonly convert: (body: string) => Steps<StoredObject>
  /** Whether objects get other keys: a copy is then not found by the key of its original. */
  readonly changesKeys: boolean
}

/** Returns how a change converts the objects of a type. */
export function typeConverter(
  before: OntologyDefinition,
  { definition, types }: PlannedChange,
  typeRid: string,
): TypeConverter {
  const renamed = types.find((change) => change.typeRid === typeRid)?.renamed ?? new Map()
  return toConverter(typeOf(before, typeRid), typeOf(definition, typeRid), renamed)
}

/** Returns how objects are converted from one definition of their type to another. */
export function toConverter(
  before: ObjectType,
  type: ObjectType,
  renamed: RenamedProperties,
): TypeConverter {
  const { apiName } = type.primaryKey
  const isSameKey =
    before.primaryKey.apiName === (renamed.get(apiName) ?? apiName) &&
    isSameType(keyType(before), keyType(type))
  return { type, convert: objectConverter(before, type, renamed), changesKeys: !isSameKey }
}

/** Returns the type with a RID. */
export function typeOf(definition: OntologyDefinition, typeRid: string): ObjectType {
  const type = [...parseDefinition(definition).objectTypes.values()].find(
    ({ rid }) => rid === typeRid,
  )
  if (type === undefined) throw new Error(`no definition of ${typeRid}`)
  return type
}

function keyType({ properties, primaryKey }: ObjectType): PropertyType {
  const property = properties.get(primaryKey.apiName)
  if (property === undefined) throw new Error(`no property ${primaryKey.apiName}`)
  return property.type
}

/** Returns an object that was refused as one that does not fit. Its key is given as JSON. */
export function unfitObject(
  { type }: Pick<TypeConverter, 'type'>,
  key: string,
  { property, reason }: Pick<RefusedObject, 'property' | 'reason'>,
): UnfitObject {
  const value = property === undefined ? {} : { property }
  return { objectType: type.apiName, primaryKey: String(JSON.parse(key)), ...value, reason }
}

/** An object whose new key another object has already. */
export function sameKey({ type }: TypeConverter, key: string): UnfitObject {
  return unfitObject({ type }, key, { property: type.primaryKey.apiName, reason: SAME_KEY })
}

const SAME_KEY = 'would have the primary key of another object'

/** Returns the objects of a type among those that do not fit. */
export function unfitOf({ type }: TypeConverter, found: readonly UnfitObject[]): UnfitObject[] {
  return found.filter(({ objectType }) => objectType === type.apiName)
}

/** Replaces the objects of a type among those that do not fit. */
export function withUnfitOf(
  { type }: TypeConverter,
  unfit: readonly UnfitObject[],
  found: readonly UnfitObject[],
): UnfitObject[] {
  return [...found.filter(({ objectType }) => objectType !== type.apiName), ...unfit]
}

/** Returns why a definition was refused, as sentences. */
export function refusalReasons({ errorName, parameters }: ObjectQueryError): readonly string[] {
  const { reasons, mistakes } = parameters as {
    readonly reasons?: readonly string[]
    readonly mistakes?: readonly Mistake[]
  }
  return reasons ?? mistakes?.map(({ path, reason }) => `${path} ${reason}`) ?? [errorName]
}

/** Why a change fails if the definition that it was planned against has changed. */
export const REDEFINED = 'another definition was saved meanwhile'
