/**
 * The pages of a walk, kept as the bytes that came. Only the few in view are parsed, so that memory
 * is bounded by bytes and not by objects.
 */
import type { ServiceRequest } from '../../client/connection.ts'
import type { ObjectRecord } from '../api/records.ts'

/** One page as the status bar shows it. */
export interface WalkPage {
  readonly index: number
  /** The number of objects before this page. */
  readonly firstRow: number
  readonly count: number
  readonly byteLength: number
  /** Milliseconds until the last byte, by the clock of the browser. */
  readonly durationMs: number
  /** Milliseconds that the service spent, if it says so. */
  readonly serverMs: number | undefined
  /** The version of the type that the page shows, if the service says so. */
  readonly version: number | undefined
  readonly receivedAtMs: number
  readonly request: ServiceRequest
  readonly hasNextToken: boolean
}

interface KeptPage {
  readonly page: WalkPage
  bytes: Uint8Array | undefined
}

/** Bytes of pages that a walk keeps; the oldest leave first. */
const MAX_BYTES = 64 * 1024 * 1024
/** Pages that are kept parsed. */
const PARSED_PAGES = 6

export class KeptPages {
  readonly #parse: (bytes: Uint8Array) => readonly ObjectRecord[]
  readonly #kept: KeptPage[] = []
  readonly #parsed = new Map<number, readonly ObjectRecord[]>()
  #byteLength = 0

  constructor(parse: (bytes: Uint8Array) => readonly ObjectRecord[]) {
    this.#parse = parse
  }

  add(page: WalkPage, bytes: Uint8Array, records: readonly ObjectRecord[]): void {
    this.#kept.push({ page, bytes })
    this.#byteLength += bytes.length
    this.#keepParsed(page.index, records)
    for (const kept of this.#kept) {
      if (this.#byteLength <= MAX_BYTES) break
      this.#byteLength -= kept.bytes?.length ?? 0
      kept.bytes = undefined
    }
  }

  /** Returns the page that holds a row. */
  pageAt(row: number): WalkPage | undefined {
    return this.#find(row)?.page
  }

  /** Returns a row; undefined if its page was not read, or has left memory. */
  record(row: number): ObjectRecord | undefined {
    const kept = this.#find(row)
    return kept && this.#records(kept)?.[row - kept.page.firstRow]
  }

  /** Returns the records of a page without keeping them parsed. */
  recordsOf(index: number): readonly ObjectRecord[] {
    const bytes = this.#kept[index]?.bytes
    return this.#parsed.get(index) ?? (bytes === undefined ? [] : this.#parse(bytes))
  }

  /** True if pages have left memory, because newer ones needed their room. */
  get hasEvicted(): boolean {
    return this.#kept.some(
      ({ page, bytes }) => bytes === undefined && !this.#parsed.has(page.index),
    )
  }

  /** Pages are in the order of their rows, so half of the rest is left out in each step. */
  #find(row: number): KeptPage | undefined {
    let [low, high] = [0, this.#kept.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const kept = this.#kept[middle]
      if (kept === undefined) return undefined
      const { firstRow, count } = kept.page
      if (row < firstRow) high = middle - 1
      else if (row >= firstRow + count) low = middle + 1
      else return kept
    }
    return undefined
  }

  #records({ page, bytes }: KeptPage): readonly ObjectRecord[] | undefined {
    const parsed = this.#parsed.get(page.index)
    if (parsed !== undefined || bytes === undefined) return parsed
    const records = this.#parse(bytes)
    this.#keepParsed(page.index, records)
    return records
  }

  #keepParsed(index: number, records: readonly ObjectRecord[]): void {
    this.#parsed.set(index, records)
    const [oldest] = this.#parsed.keys()
    if (this.#parsed.size > PARSED_PAGES && oldest !== undefined) this.#parsed.delete(oldest)
  }
}
