/**
 * A page over several object types in the order of its parts. Each step is a page of one type; the
 * store reads it and adds it. One object more than the page holds shows whether more follow.
 */
import { PROBE_RECORD } from '../../../contract/object-record.ts'
import type { ReadPageRequest, StoredPage } from '../../object-store.ts'
import { releaserOf } from '../../page-memory.ts'
import {
  type ReadSetPageRequest,
  type SetCursor,
  type StoredSetPage,
  versionsOfPart,
} from '../../port/pages.ts'

export interface PartStep {
  readonly part: number
  readonly request: ReadPageRequest
}

export class PartWalk {
  readonly #request: ReadSetPageRequest
  readonly #versions: readonly number[]
  readonly #pages: StoredPage[] = []
  #part: number
  #bytes = 0
  #count = 0
  #totalCount = 0
  #last: SetCursor | undefined
  #isFull = false
  #more = false

  /** The versions are those of all types of the page, read in the transaction of the steps. */
  constructor(request: ReadSetPageRequest, versions: readonly number[]) {
    this.#request = request
    this.#versions = versions
    this.#part = request.after?.part ?? 0
  }

  /** Returns the next page to read, or undefined if this page is complete. */
  next(): PartStep | undefined {
    const { parts, after, maxObjects, maxBytes, includeTotalCount } = this.#request
    const part = parts[this.#part]
    if (part === undefined || (this.#more && !includeTotalCount)) return undefined
    const rest = this.#isFull
      ? { maxObjects: 1, maxBytes, record: { shape: PROBE_RECORD, selection: undefined } }
      : {
          maxObjects: maxObjects - this.#count,
          maxBytes: maxBytes - this.#bytes,
          record: part.record,
        }
    const request: ReadPageRequest = {
      ...rest,
      objectType: part.objectType,
      query: part.query,
      order: [],
      after: after?.part === this.#part ? after : undefined,
      ...versionsOfPart(this.#request, part),
      includeTotalCount,
      matchEstimate: undefined,
    }
    return { part: this.#part, request }
  }

  /** Adds the page of the last step. */
  add(page: StoredPage): void {
    this.#totalCount += page.totalCount ?? 0
    // The first record of a page is returned even if it exceeds the rest of the budget.
    const exceeds = this.#count > 0 && page.records.length > this.#request.maxBytes - this.#bytes
    if (this.#isFull || exceeds || page.count === 0) {
      this.#more ||= page.count > 0
      this.#isFull ||= exceeds
      page.release()
    } else {
      this.#pages.push(page)
      this.#count += page.count
      this.#bytes += page.records.length + 1
      this.#last = page.last && { ...page.last, part: this.#part }
      this.#more = page.more
      this.#isFull =
        page.more ||
        this.#count >= this.#request.maxObjects ||
        this.#bytes >= this.#request.maxBytes
    }
    this.#part += 1
  }

  /** Releases what was read, if a later step failed. */
  abandon(): void {
    for (const page of this.#pages) page.release()
  }

  finish(): StoredSetPage {
    const [first, ...others] = this.#pages
    const { records, release } =
      first !== undefined && others.length === 0 ? first : joinPages(this.#pages)
    return {
      records,
      release,
      count: this.#count,
      last: this.#last,
      more: this.#more,
      versions: this.#versions,
      totalCount: this.#request.includeTotalCount ? this.#totalCount : undefined,
    }
  }
}

function joinPages(pages: readonly StoredPage[]): Pick<StoredPage, 'records' | 'release'> {
  const joined = joinRecords(pages.map(({ records }) => records))
  for (const page of pages) page.release()
  return joined
}

/** Joins records with commas, in memory of their own, which can be freed. */
export function joinRecords(
  records: readonly Uint8Array[],
): Pick<StoredPage, 'records' | 'release'> {
  const commas = Math.max(0, records.length - 1)
  const length = records.reduce((bytes, record) => bytes + record.length, commas)
  const joined = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const [index, record] of records.entries()) {
    if (index > 0) at = joined.writeUInt8(COMMA, at)
    joined.set(record, at)
    at += record.length
  }
  return { records: joined, release: releaserOf(joined) }
}

const COMMA = 0x2c
