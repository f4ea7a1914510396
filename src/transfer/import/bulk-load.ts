/**
 * Loads an empty object type. Its rows go to a replacement, which has no indexes yet, and become
 * visible together when all indexes are built, which costs less than adding to them row by row.
 * Objects that others write in the meantime are kept, unless an upsert has objects with the same keys.
 */
import type { Administration, BatchResult } from '../../client/endpoints/administration.ts'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { OqsError } from '../../client/oqs-error.ts'

/** The endpoints that an import needs. */
export type LoadEndpoints = Pick<Endpoints, 'administration' | 'revision1'>

export class BulkLoad {
  readonly #endpoints: LoadEndpoints
  readonly #type: TypePath
  readonly #mode: 'upsert' | 'append'
  #replacement: string | undefined

  constructor(
    endpoints: LoadEndpoints,
    type: TypePath,
    mode: 'upsert' | 'append',
    /** A replacement that an earlier run has left. */
    replacement?: string,
  ) {
    this.#replacement = replacement
    this.#endpoints = endpoints
    this.#type = type
    this.#mode = mode
  }

  get isStarted(): boolean {
    return this.#replacement !== undefined
  }

  get replacement(): string | undefined {
    return this.#replacement
  }

  /** Returns the replacement to add objects to; undefined unless the type is empty. */
  async startIfEmpty(): Promise<string | undefined> {
    if (this.isStarted) return this.#replacement
    try {
      if (await isEmptyType(this.#endpoints, this.#type)) {
        this.#replacement = await this.#administration.startReplacement(this.#type)
      }
    } catch (error) {
      if (!isNotPossible(error)) throw error
    }
    return this.#replacement
  }

  /** Makes the objects visible. Can be repeated. */
  publish(): Promise<BatchResult> {
    const options = { mode: this.#mode }
    return this.#administration.publishReplacement(this.#type, this.#replacement ?? '', options)
  }

  /** Drops the objects, none of which was visible. */
  abandon(): Promise<void> {
    return this.#administration.abandonReplacement(this.#type, this.#replacement ?? '')
  }

  get #administration(): Administration {
    return this.#endpoints.administration
  }
}

export async function isEmptyType({ revision1 }: LoadEndpoints, type: TypePath): Promise<boolean> {
  const page = await revision1.listObjects(type, { pageSize: 1 })
  return page.data.length === 0
}

/** True if the token may only write, or if killed imports have left too many replacements. */
function isNotPossible(error: unknown): boolean {
  if (!(error instanceof OqsError)) return false
  return error.statusCode === 403 || error.errorName === 'ReplacementsExceededLimit'
}
