/** JSON merge patch (RFC 7396): members replace, null removes, objects merge. */
import { isJsonObject } from '../json-object.ts'

/** Deeper than any valid value. Recursion ends there, so that no patch can exhaust the stack. */
const MAX_DEPTH = 32

/** Returns the target with the members of the patch. Changes neither of them. */
export function mergePatch(target: unknown, patch: unknown, depth = MAX_DEPTH): unknown {
  if (!isJsonObject(patch) || depth === 0) return patch
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value, depth - 1))
  }
  return Object.fromEntries(merged)
}
