/**
 * Loads an empty object type, or replaces all objects of one. The rows go to a replacement, which has
 * no indexes yet, and become visible together when all indexes are built, which costs less than adding
 * to them row by row. Objects that others write into an empty type in the meantime are kept, unless an
 * upsert has objects with the same keys.
 */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { OqsError } from '../../client/oqs-error.ts'

/** The endpoints that an import needs. */
export type LoadEndpoints = Pick<Endpoints, 'administration' | 'revision1'>

export type BulkLoad = ReturnType<typeof bulkLoad>

export function bulkLoad(
  endpoints: LoadEndpoints,
  type: TypePath,
  mode: 'upsert' | 'append' | 'replace',
  /** A replacement that an earlier run has left. */
  left: string | undefined,
) {
  const { administration } = endpoints
  let replacement = left
  const start = async () => {
    replacement ??= await administration.startReplacement(type)
    return replacement
  }
  return {
    /** Undefined if none is started. */
    get replacement(): string | undefined {
      return replacement
    },
    start,
    /** Returns the replacement to add objects to; undefined unless the type is empty. */
    async startIfEmpty(): Promise<string | undefined> {
      try {
        return replacement ?? ((await isEmptyType(endpoints, type)) ? await start() : undefined)
      } catch (error) {
        if (!isNotPossible(error)) throw error
        return undefined
      }
    },
    /** Makes the objects visible. Can be repeated. */
    publish: () => administration.publishReplacement(type, replacement ?? '', { mode }),
    /** Drops the objects, none of which was visible. */
    abandon: () => administration.abandonReplacement(type, replacement ?? ''),
  }
}

export async function isEmptyType(
  { revision1 }: Pick<LoadEndpoints, 'revision1'>,
  type: TypePath,
): Promise<boolean> {
  const page = await revision1.listObjects(type, { pageSize: 1 })
  return page.data.length === 0
}

/** True if the token may only write, or if killed imports have left too many replacements. */
function isNotPossible(error: unknown): boolean {
  if (!(error instanceof OqsError)) return false
  return error.statusCode === 403 || error.errorName === 'ReplacementsExceededLimit'
}
