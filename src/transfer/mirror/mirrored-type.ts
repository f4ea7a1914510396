import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { FlatRecord, TypePath } from '../../client/endpoints/pages.ts'

/** What a mirror needs to know of the type that it copies. */
export interface MirroredType {
  /** `ONTOLOGY/TYPE`, by API names. */
  readonly source: string
  /** Another service, or a type that was created again, has another one. */
  readonly rid: string
  readonly apiName: string
  readonly primaryKey: string
  /** Name → type, such as `Array<String>`; in the order of the definition. */
  readonly properties: ReadonlyMap<string, string>
  /** The text of the above: a copy with another one has to be made again. */
  readonly definition: string
}

export type Properties = Readonly<Record<string, unknown>>

/** Reads the type as the caller sees it now. */
export async function readMirroredType(
  { revision1 }: Endpoints,
  type: TypePath,
  call: { readonly signal?: AbortSignal | undefined },
): Promise<MirroredType> {
  const [ontology, { apiName, rid, primaryKey, properties }] = await Promise.all([
    revision1.getOntology(type.ontology, call),
    revision1.getObjectType(type, call),
  ])
  const types = Object.entries(properties).map(([name, { baseType }]) => [name, baseType] as const)
  return {
    source: `${ontology.apiName}/${apiName}`,
    rid,
    apiName,
    primaryKey: String(primaryKey[0]),
    properties: new Map(types),
    definition: JSON.stringify({ primaryKey, properties: types }),
  }
}

/** Returns the properties of an object, without what v2 adds to them. */
export function propertiesOf({
  __rid,
  __primaryKey,
  __apiName,
  __title,
  ...properties
}: FlatRecord): Properties {
  return properties
}
