/** Makes sure that the segments of a load have no key in common. */
import { Dictionary } from '../arrays/dictionary.ts'
import type { BuiltSegment } from '../segment/build-segment.ts'
import { RepeatedKey } from '../segment/unordered-keys.ts'

interface KeyRange {
  readonly first: string
  readonly last: string
  readonly keys: Dictionary
}

export class KeyRanges {
  readonly #ranges: KeyRange[] = []

  /** Throws `RepeatedKey` if an earlier segment has one of the keys. */
  add({ buffer, place }: BuiltSegment): void {
    // A copy: the keys must not keep the other arrays of the segment in memory.
    const keys = new Dictionary(buffer, place.keys).copy()
    const range = { first: keys.at(0), last: keys.at(keys.size - 1), keys }
    for (const other of this.#ranges) {
      if (compare(range.last, other.first) < 0 || compare(other.last, range.first) < 0) continue
      for (const key of keys.slice(0, keys.size)) {
        if (other.keys.find(key) !== undefined) throw new RepeatedKey()
      }
    }
    this.#ranges.push(range)
  }
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
