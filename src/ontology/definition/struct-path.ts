/**
 * Paths into structs: the names of the fields, joined by colons, which API names do not contain.
 * `geo:lat` is the field `lat` of the struct in the field `geo`. Arrays add nothing to a path.
 */

import type { PropertyType, ScalarType } from './property-type.ts'

export const PATH_SEPARATOR = ':'

/** A scalar inside a struct, or the elements of an array of scalars there. */
export interface StructLeaf {
  readonly path: string
  readonly type: ScalarType
  /** True if an array is on the path, so that an object can have several values. */
  readonly isMultiValued: boolean
}

/** Returns the leaves of a property, which are none unless it has a struct. */
export function leavesOf(type: PropertyType): StructLeaf[] {
  const leaves: StructLeaf[] = []
  const add = (field: PropertyType, path: string, isMultiValued: boolean) => {
    switch (field.kind) {
      case 'scalar':
        if (path !== '') leaves.push({ path, type: field.type, isMultiValued })
        break
      case 'array':
        add(field.items, path, true)
        break
      case 'struct':
        for (const [name, inner] of field.fields) add(inner, joinPath(path, name), isMultiValued)
    }
  }
  add(type, '', false)
  return leaves
}

export function joinPath(path: string | undefined, name: string): string {
  return path === undefined || path === '' ? name : path + PATH_SEPARATOR + name
}

/** What is at the end of a path. */
export interface PathEnd {
  readonly type: PropertyType
  /** True if there is an array before the end. */
  readonly isInArray: boolean
}

/** True if an object can have several values at the end of a path. */
export function isMultiValuedEnd({ type, isInArray }: PathEnd): boolean {
  return isInArray || type.kind === 'array'
}

/** Returns what a path leads to; undefined if there is no such field. */
export function typeAt(property: PropertyType, path: string): PathEnd | undefined {
  let [type, isInArray] = [property, false]
  for (const name of path.split(PATH_SEPARATOR)) {
    isInArray ||= type.kind === 'array'
    const inner = type.kind === 'array' ? type.items : type
    const field = inner.kind === 'struct' ? inner.fields.get(name) : undefined
    if (field === undefined) return undefined
    type = field
  }
  return { type, isInArray }
}

/**
 * Returns the path of a field whose names are written with periods between them. Names can contain
 * periods, so at each step the longest name that exists wins.
 */
export function findPath(property: PropertyType, written: string): string | undefined {
  const inner = property.kind === 'array' ? property.items : property
  if (inner.kind !== 'struct') return undefined
  if (inner.fields.has(written)) return written
  for (let at = written.lastIndexOf('.'); at > 0; at = written.lastIndexOf('.', at - 1)) {
    const name = written.slice(0, at)
    const field = inner.fields.get(name)
    if (field === undefined || !hasStruct(field)) continue
    const rest = findPath(field, written.slice(at + 1))
    return rest === undefined ? undefined : joinPath(name, rest)
  }
  return undefined
}

function hasStruct(type: PropertyType): boolean {
  return (type.kind === 'array' ? type.items : type).kind === 'struct'
}
