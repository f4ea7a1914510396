/** The fields of structs, by the paths in which conditions and orders write them. */
import type { EquatableType, ObjectTypeShape, PropertyName, PropertyOf } from './property-types.ts'

/** The paths to all fields of structs: `address:geo` and `address:geo:lat`. */
export type StructFieldName<Type extends ObjectTypeShape> = {
  [Name in PropertyName<Type>]: `${Name}:${Paths<Type['types'][Name & keyof Type['types']]>}`
}[PropertyName<Type>]

/** The paths to fields that have at most one value, which can be compared. */
type SingleFieldName<Type extends ObjectTypeShape> = {
  [Name in PropertyName<Type>]: `${Name}:${SinglePaths<Type['types'][Name & keyof Type['types']]>}`
}[PropertyName<Type>]

/** What objects can be sorted by. */
export type OrderedName<Type extends ObjectTypeShape> =
  | PropertyOf<Type, EquatableType>
  | SingleFieldName<Type>

/** Returns a path as orders name it on the wire. */
export function fieldText(path: string): string {
  return path.replaceAll(':', '.')
}

/** The type at the end of a path. */
export type TypeAt<Fields, Path> = Path extends keyof Fields
  ? Fields[Path]
  : Path extends `${infer Name}:${infer Rest}`
    ? Name extends keyof Fields
      ? TypeAt<Item<Fields[Name]>, Rest>
      : never
    : never

type Item<Tag> = Tag extends readonly [infer One] ? One : Tag

type Paths<Tag> =
  Item<Tag> extends infer Struct
    ? Struct extends string
      ? never
      : { [Name in keyof Struct & string]: Name | `${Name}:${Paths<Struct[Name]>}` }[keyof Struct &
          string]
    : never

type SinglePaths<Tag> = Tag extends string | readonly unknown[]
  ? never
  : {
      [Name in keyof Tag & string]: Tag[Name] extends EquatableType
        ? Name
        : `${Name}:${SinglePaths<Tag[Name]>}`
    }[keyof Tag & string]
