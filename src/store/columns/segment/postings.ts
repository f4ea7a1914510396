/**
 * The term index of one field: for each term, the positions of the rows that have it, and its places
 * in their texts. Neighbouring terms of a text have neighbouring places.
 */
import { type Bits, bitsFor, setBit } from '../image/bits.ts'
import { Dictionary, type DictionaryPlace } from '../image/dictionary.ts'
import { arrayAt, type Place } from '../image/image.ts'
import { NumberReader } from '../image/varint.ts'

/** Where the parts of a term index lie in its image. */
export interface PostingsPlace {
  readonly terms: DictionaryPlace
  /** The number of rows with each term. */
  readonly counts: Place<'u32'>
  /** For each row: twice the distance to the one before, plus 1 if a number of places follows. */
  readonly rows: Place<'u8'>
  readonly rowStarts: Place<'u32'>
  /** The distances between the places of a row. */
  readonly places: Place<'u8'>
  readonly placeStarts: Place<'u32'>
}

export class Postings {
  readonly terms: Dictionary
  readonly #positions: number
  readonly #counts: Uint32Array
  readonly #rows: Uint8Array
  readonly #rowStarts: Uint32Array
  readonly #places: Uint8Array
  readonly #placeStarts: Uint32Array

  constructor(buffer: SharedArrayBuffer, place: PostingsPlace, positions: number) {
    this.terms = new Dictionary(buffer, place.terms)
    this.#positions = positions
    this.#counts = arrayAt(buffer, place.counts)
    this.#rows = arrayAt(buffer, place.rows)
    this.#rowStarts = arrayAt(buffer, place.rowStarts)
    this.#places = arrayAt(buffer, place.places)
    this.#placeStarts = arrayAt(buffer, place.placeStarts)
  }

  /** Returns the numbers of the terms that begin with a text: from the first, without the second. */
  termsFrom(prefix: string): readonly [from: number, to: number] {
    return [this.terms.countBefore(prefix), this.terms.countBefore(`${prefix}\u{10ffff}`)]
  }

  /** Sets the bits of the rows with one of the terms in a range of numbers. */
  markRows(from: number, to: number, bits: Bits): void {
    for (let term = from; term < to; term += 1) this.#markTerm(term, bits)
  }

  #markTerm(term: number, bits: Bits): void {
    const rows = this.#rows
    let at = this.#rowStarts[term] as number
    const end = this.#rowStarts[term + 1] as number
    let position = -1
    while (at < end) {
      let byte = rows[at] as number
      at += 1
      let number = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = rows[at] as number
        at += 1
        number |= (byte & 127) << shift
      }
      number >>>= 0
      if ((number & 1) === 1) {
        while ((rows[at] as number) > 127) at += 1
        at += 1
      }
      position += (number >>> 1) + 1
      const word = position >>> 5
      bits[word] = (bits[word] as number) | (1 << (position & 31))
    }
  }

  /**
   * Returns the rows whose texts have these terms at neighbouring places. Each item is a range of
   * terms, any of which can stand there.
   */
  findPhrase(phrase: readonly (readonly [from: number, to: number])[]): Bits {
    const candidates = this.#rowsWithAll(phrase)
    const found = bitsFor(this.#positions)
    // The places of the part of the phrase so far, by row; the rarest term would be a better start,
    // but the candidates have few rows already.
    let ends = this.#placesOf(phrase[0] ?? [0, 0], candidates)
    for (const range of phrase.slice(1)) {
      const next = this.#placesOf(range, candidates)
      const kept = new Map<number, number[]>()
      for (const [position, places] of ends) {
        const following = new Set(next.get(position))
        const matched = places.flatMap((place) => (following.has(place + 1) ? [place + 1] : []))
        if (matched.length > 0) kept.set(position, matched)
      }
      ends = kept
    }
    for (const position of ends.keys()) setBit(found, position)
    return found
  }

  #rowsWithAll(phrase: readonly (readonly [from: number, to: number])[]): Bits {
    const all = bitsFor(this.#positions)
    phrase.forEach(([from, to], index) => {
      const bits = index === 0 ? all : bitsFor(this.#positions)
      this.markRows(from, to, bits)
      if (index === 0) return
      for (let word = 0; word < all.length; word += 1) {
        all[word] = (all[word] as number) & (bits[word] as number)
      }
    })
    return all
  }

  #placesOf([from, to]: readonly [from: number, to: number], rows: Bits): Map<number, number[]> {
    const found = new Map<number, number[]>()
    for (let term = from; term < to; term += 1) {
      const reader = new NumberReader(this.#rows, this.#rowStarts[term] as number)
      const places = new NumberReader(this.#places, this.#placeStarts[term] as number)
      let position = -1
      for (let row = 0; row < (this.#counts[term] as number); row += 1) {
        const number = reader.next()
        const count = (number & 1) === 1 ? reader.next() : 1
        position += (number >>> 1) + 1
        const isCandidate = (((rows[position >>> 5] as number) >>> (position & 31)) & 1) === 1
        const list = isCandidate ? (found.get(position) ?? []) : undefined
        let place = 0
        for (let index = 0; index < count; index += 1) {
          place += places.next()
          list?.push(place)
        }
        if (list !== undefined) found.set(position, list)
      }
    }
    return found
  }
}
