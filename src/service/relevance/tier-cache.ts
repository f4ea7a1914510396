/**
 * The measured objects of tiers of relevance, for the next page of a walk and for a repeated query.
 * The version is part of the key, so an entry is never stale.
 */
import { LRUCache } from 'lru-cache'
import { ruleQuery, shownProperties } from '../../access/ruled-objects.ts'
import { plainQuery } from '../../query/query-tree.ts'
import type { MeasuredTexts } from '../../query/relevance-score.ts'
import type { ReadPageRequest, StoredPage } from '../../store/object-store.ts'

const MAX_BYTES = 16 * 1024 * 1024
/** What an object takes, and an entry besides its objects and its key; rough measures. */
const CANDIDATE_BYTES = 300
const ENTRY_BYTES = 500

/** An object of a tier, with what its score depends on. */
export interface Candidate {
  /** The position in key order. */
  readonly index: number
  /** The primary key as JSON text. */
  readonly key: string
  readonly texts: MeasuredTexts
}

/** All objects of a tier. */
export interface Candidates extends Pick<StoredPage, 'version' | 'linkedVersions'> {
  readonly candidates: readonly Candidate[]
}

/** A tier has too many objects to be scored. */
export type TooMany = 'tooMany'

type Entry = readonly Candidate[] | TooMany

export class TierCache {
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    // The key contains the query, which can be long.
    sizeCalculation: (entry, key) =>
      ENTRY_BYTES + 2 * key.length + (entry === 'tooMany' ? 0 : entry.length * CANDIDATE_BYTES),
  })

  /** Returns the objects of a tier; undefined if they are not known, or if the version is open. */
  find(request: ReadPageRequest): Candidates | TooMany | undefined {
    const { version, linkedVersions } = request
    if (version === undefined) return undefined
    const candidates = this.#entries.get(keyOf({ ...request, version }))
    if (candidates === undefined || candidates === 'tooMany') return candidates
    return { candidates, version, ...(linkedVersions && { linkedVersions }) }
  }

  /** The request must have the versions that were read. */
  keep(request: ReadPageRequest & { readonly version: number }, entry: Entry): void {
    this.#entries.set(keyOf(request), entry)
  }
}

/** Callers with other rights see other objects and texts of the same tier. */
function keyOf({
  objectType,
  version,
  linkedVersions,
  query,
}: ReadPageRequest & { readonly version: number }): string {
  const { rid, definedIn } = objectType
  const shown = shownProperties(objectType)
  const visible = plainQuery(ruleQuery(query, objectType))
  return JSON.stringify([rid, definedIn, version, linkedVersions, visible, shown])
}
