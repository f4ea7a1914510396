/**
 * Which types the listed objects of a static set have, as the numbers that page tokens carry. They
 * name types by their position in the definition. A definition that changes during a walk may move
 * them; the token is then bound to other types, and is refused.
 */
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'

export interface ListedType {
  readonly objectType: ObjectType
  /** True if none of the type's objects was in the set when the walk started. */
  readonly isLeftOut: boolean
}

export function encodeListedTypes(
  listedTypes: readonly ListedType[],
  { objectTypes }: Ontology,
): number[] {
  const positions = new Map([...objectTypes.values()].map((type, index) => [type, index]))
  return listedTypes
    .map(({ objectType, isLeftOut }) => 2 * (positions.get(objectType) ?? 0) + Number(isLeftOut))
    .sort((a, b) => a - b)
}

export function decodeListedTypes(
  encoded: readonly number[] | undefined,
  { objectTypes }: Ontology,
): ListedType[] | undefined {
  if (encoded === undefined) return undefined
  const types = [...objectTypes.values()]
  return encoded.flatMap((number) => {
    const objectType = types[number >> 1]
    return objectType === undefined ? [] : [{ objectType, isLeftOut: isOfLeftOut(number) }]
  })
}

/** True if some type was left out, whose objects can be in the set at another moment. */
export function hasLeftOut(encoded: readonly number[] = []): boolean {
  return encoded.some(isOfLeftOut)
}

function isOfLeftOut(number: number): boolean {
  return number % 2 === 1
}
