/**
 * The term index of one field: for each term, the texts that have it, and its places in them. A text
 * is identified by its row, or by its code if the field has a dictionary of texts: most texts that
 * recur are indexed once.
 */
import { type Bits, bitsFor, hasBit, setBit } from '../arrays/bits.ts'
import { Dictionary, type DictionaryPlace } from '../arrays/dictionary.ts'
import { Growing } from '../arrays/growing.ts'
import { arrayAt, type Image, type Place } from '../arrays/shared-arrays.ts'
import { NumberReader } from '../arrays/varint.ts'

/** Where the parts of a term index lie in its image. */
export interface PostingsPlace {
  /** What positions stand for: rows, or the codes of texts minus 1. */
  readonly of: 'rows' | 'codes'
  readonly terms: DictionaryPlace
  /**
   * For each term: twice the number of its bytes that follow, plus 1 if it has one position; the
   * number of bytes of its positions, unless it has one; the distances of its positions minus 1;
   * and its places: twice the distance to the one before at the same position, plus 1 if there is
   * one.
   */
  readonly bytes: Place<'u8'>
  /** Where each block of terms starts. */
  readonly blocks: Place<'u32'>
}

/** The number of terms in a block, which are found one after the other. */
export const TERM_BLOCK = 16

/** The place of a term that only says that a text has it: a whole word, a stem. */
export const NO_PLACE = 0
/** Not next to `NO_PLACE`. Neighbouring terms of a text have neighbouring places. */
export const FIRST_PLACE = 2

/** More than any place: no object has as many bytes. */
export const PLACES = 2 ** 22

/** The numbers of terms from the first, without the second. */
export type TermRange = readonly [from: number, to: number]

export class Postings {
  readonly of: PostingsPlace['of']
  readonly terms: Dictionary
  readonly #positions: number
  readonly #bytes: Uint8Array
  readonly #blocks: Uint32Array

  constructor(image: Image, place: PostingsPlace, positions: number) {
    this.of = place.of
    this.terms = new Dictionary(image, place.terms)
    this.#positions = positions
    this.#bytes = arrayAt(image, place.bytes)
    this.#blocks = arrayAt(image, place.blocks)
  }

  /** Returns the numbers of the terms that begin with a text. */
  termsFrom(prefix: string): TermRange {
    return [this.terms.countBefore(prefix), this.terms.countBefore(`${prefix}\u{10ffff}`)]
  }

  /** Returns the positions that have one of the terms. */
  positionsWith(range: TermRange): Bits {
    const bits = bitsFor(this.#positions)
    for (const { positionsAt, positionsEnd } of this.#entries(range)) {
      this.#mark(positionsAt, positionsEnd, bits)
    }
    return bits
  }

  #mark(start: number, end: number, bits: Bits): void {
    const bytes = this.#bytes
    let at = start
    let position = -1
    while (at < end) {
      let byte = bytes[at] as number
      at += 1
      let distance = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at] as number
        at += 1
        distance |= (byte & 127) << shift
      }
      position += distance + 1
      const word = position >>> 5
      bits[word] = (bits[word] as number) | (1 << (position & 31))
    }
  }

  /** Returns the positions that have these terms at neighbouring places, one of each range. */
  positionsWithPhrase(phrase: readonly TermRange[]): Bits {
    const candidates = this.#positionsWithAll(phrase)
    const found = bitsFor(this.#positions)
    const [first, ...others] = phrase
    if (first === undefined) return found
    let ends = this.placesOf(first, candidates)
    for (const range of others) ends = following(ends, this.placesOf(range, candidates))
    for (const end of ends) setBit(found, Math.floor(end / PLACES))
    return found
  }

  #positionsWithAll([first, ...others]: readonly TermRange[]): Bits {
    const all = this.positionsWith(first ?? [0, 0])
    for (const range of others) {
      const bits = this.positionsWith(range)
      for (let word = 0; word < all.length; word += 1) {
        all[word] = (all[word] as number) & (bits[word] as number)
      }
    }
    return all
  }

  /** Returns where terms occur at some positions, ascending: the position times `PLACES`, plus the place. */
  placesOf(range: TermRange, candidates: Bits): Float64Array {
    const found = new Growing((length) => new Float64Array(length), 1024)
    for (const { positionsAt, positionsEnd, end } of this.#entries(range)) {
      const positions = new NumberReader(this.#bytes, positionsAt)
      const places = new NumberReader(this.#bytes, positionsEnd)
      let position = -1
      let place = 0
      let isCandidate = false
      while (places.at < end) {
        const number = places.next()
        if ((number & 1) === 0) {
          position += positions.next() + 1
          isCandidate = hasBit(candidates, position)
          place = 0
        }
        place += number >>> 1
        if (isCandidate) found.push(position * PLACES + place)
      }
    }
    return range[1] - range[0] === 1 ? found.array : found.array.sort()
  }

  /** Finds the entries of terms. */
  *#entries([from, to]: TermRange): Generator<TermEntry> {
    if (from >= to) return
    const block = from - (from % TERM_BLOCK)
    const reader = new NumberReader(this.#bytes, this.#blocks[block / TERM_BLOCK] as number)
    for (let term = block; term < to; term += 1) {
      const number = reader.next()
      const end = reader.at + (number >>> 1)
      if (term >= from) yield this.#entryAt(reader, (number & 1) === 1, end)
      reader.at = end
    }
  }

  #entryAt(reader: NumberReader, isSingle: boolean, end: number): TermEntry {
    if (!isSingle) {
      const length = reader.next()
      return { positionsAt: reader.at, positionsEnd: reader.at + length, end }
    }
    const positionsAt = reader.at
    reader.next()
    return { positionsAt, positionsEnd: reader.at, end }
  }
}

/** Where the positions of a term are, and its places behind them. */
interface TermEntry {
  readonly positionsAt: number
  readonly positionsEnd: number
  readonly end: number
}

/** Returns the places that are next to one of the others. */
function following(ends: Float64Array, next: Float64Array): Float64Array {
  const found = new Growing((length) => new Float64Array(length), 64)
  let at = 0
  for (const place of next) {
    while (at < ends.length && (ends[at] as number) < place - 1) at += 1
    if (at < ends.length && ends[at] === place - 1) found.push(place)
  }
  return found.array
}
