/**
 * A background change of a definition, as the catalogue stores it. Its types are rewritten like
 * those of an older layout, and published together with the definition.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import type { Mistake } from '../../ontology/definition/mistakes.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import { isSameType, type PropertyType } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { objectConverter } from '../../ontology/values/convert-object.ts'
import { RefusedObject, type StoredObject } from '../../ontology/values/read-object.ts'
import type { UnfitObject } from '../definition-change.ts'
import type { PlannedChange } from './plan-types.ts'

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
  readonly convert: (body: string) => StoredObject
  /** Whether objects get other keys: a copy is then not found by the key of its original. */
  readonly changesKeys: boolean
}

/** Returns how a change converts the objects of a type. */
export function typeConverter(
  before: OntologyDefinition,
  { definition, types }: PlannedChange,
  typeRid: string,
): TypeConverter {
  const [earlier, type] = [typeOf(before, typeRid), typeOf(definition, typeRid)]
  const renamed = types.find((change) => change.typeRid === typeRid)?.renamed ?? new Map()
  const { apiName } = type.primaryKey
  const isSameKey =
    earlier.primaryKey.apiName === (renamed.get(apiName) ?? apiName) &&
    isSameType(keyType(earlier), keyType(type))
  return { type, convert: objectConverter(earlier, type, renamed), changesKeys: !isSameKey }
}

function typeOf(definition: OntologyDefinition, typeRid: string): ObjectType {
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

/** Converts an object, or adds it to those that do not fit. */
export function tryConvert(
  { type, convert }: TypeConverter,
  { key, body }: { readonly key: string; readonly body: string },
  unfit: UnfitObject[],
): StoredObject | undefined {
  try {
    return convert(body)
  } catch (error) {
    if (!(error instanceof RefusedObject)) throw error
    const { property, reason } = error
    const value = property === undefined ? {} : { property }
    unfit.push({ objectType: type.apiName, primaryKey: String(JSON.parse(key)), ...value, reason })
    return undefined
  }
}

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

/** An object whose new key another object has already. */
export function sameKey({ type }: TypeConverter, key: string): UnfitObject {
  return {
    objectType: type.apiName,
    primaryKey: String(JSON.parse(key)),
    property: type.primaryKey.apiName,
    reason: SAME_KEY,
  }
}

export const SAME_KEY = 'would have the primary key of another object'

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
