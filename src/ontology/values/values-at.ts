/** Follows paths into the values of properties, through all arrays. */

import { PATH_SEPARATOR } from '../definition/struct-path.ts'
import { isJsonObject } from '../json-object.ts'

/** Returns the values at the end of a path; the elements of an array there. */
export function valuesAt(value: unknown, path: string | undefined): unknown[] {
  return endsOf(value, path).flat()
}

/** True if a path leads to a value. An empty array or struct is one. */
export function hasValueAt(value: unknown, path: string): boolean {
  return endsOf(value, path).length > 0
}

function endsOf(value: unknown, path: string | undefined): unknown[] {
  let values = [value]
  for (const name of path?.split(PATH_SEPARATOR) ?? []) {
    values = values
      .flat()
      .flatMap((one) => (isJsonObject(one) && Object.hasOwn(one, name) ? [one[name]] : []))
  }
  return values
}
