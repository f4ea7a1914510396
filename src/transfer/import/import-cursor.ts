/** Where an import stopped, and whether another run of the same import can continue there. */
import type { Administration } from '../../client/endpoints/administration.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { OqsError } from '../../client/oqs-error.ts'

export interface ImportCursor {
  /** How many objects of the files, counted from the first, need not be sent again. */
  readonly objects: number
  /** The replacement that holds them, if they are not visible yet. */
  readonly replacement?: string | undefined
  /** The version that made the last of them visible. */
  readonly version: number
}

/**
 * Returns whether the objects before a cursor are still as the import left them: their replacement
 * exists, or nobody has written to the type since. Otherwise all objects must be sent again.
 */
export async function canContinue(
  administration: Administration,
  type: TypePath,
  { objects, replacement, version }: ImportCursor,
): Promise<boolean> {
  if (objects === 0) return false
  try {
    if (replacement !== undefined) {
      await administration.writeObjects(type, '', { replacement })
      return true
    }
    const { objectTypes } = await administration.getObjectCounts(type.ontology)
    return version > 0 && objectTypes[type.objectType]?.version === version
  } catch (error) {
    // The replacement has expired or was published, or the token may not read the version.
    const isRefused = error instanceof OqsError && !error.isRetryable
    if (isRefused) return false
    throw error
  }
}
