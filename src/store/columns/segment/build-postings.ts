/** Builds the term index of one field. */
import type { Language } from '../../../ontology/definition/language.ts'
import { rememberStems } from '../../../query/matching/stem.ts'
import { cutText } from '../../sql/text/text-index.ts'
import { addDictionary, sortTexts } from '../image/dictionary.ts'
import type { ImageWriter } from '../image/image.ts'
import { ByteList } from '../image/varint.ts'
import type { PostingsPlace } from './postings.ts'

/** Terms that are not neighbours are this far apart: those of two texts, and those without a place. */
const GAP = 2

/** The occurrences of a term, in the form of `Postings`. */
class Occurrences {
  readonly rows = new ByteList()
  readonly places = new ByteList()
  count = 0
  #lastPosition = -1
  #pending: number[] = []

  add(position: number, place: number): void {
    if (position !== this.#lastPosition) {
      this.flush()
      this.#pending = []
      this.#lastPosition = position
    }
    this.#pending.push(place)
  }
  #flushed = -1

  /** Writes what the last row has. */
  flush(): void {
    const { length } = this.#pending
    if (length === 0 || this.#flushed === this.#lastPosition) return
    const distance = this.#lastPosition - this.#flushed - 1
    // One bit says that the term occurs once, as most do. A row number has fewer than 32 bits.
    this.rows.addNumber(distance * 2 + (length === 1 ? 0 : 1))
    if (length > 1) this.rows.addNumber(length)
    let before = 0
    for (const place of this.#pending) {
      this.places.addNumber(place - before)
      before = place
    }
    this.#flushed = this.#lastPosition
    this.count += 1
  }
}

export class PostingsBuilder {
  readonly #terms = new Map<string, Occurrences>()
  readonly #language: Language | undefined
  readonly #stemmed = rememberStems()

  constructor(language: Language | undefined) {
    this.#language = language
  }

  /** Adds the texts that a row has in the field. Rows are added in order. */
  add(position: number, texts: readonly string[]): void {
    let place = 0
    for (const text of texts) {
      const { terms, wholes } = cutText(text, this.#language, this.#stemmed)
      for (const term of terms) {
        this.#occurrencesOf(term).add(position, place)
        place += 1
      }
      place += GAP
      for (const term of wholes) {
        this.#occurrencesOf(term).add(position, place)
        place += GAP
      }
    }
  }

  #occurrencesOf(term: string): Occurrences {
    const known = this.#terms.get(term)
    if (known !== undefined) return known
    const added = new Occurrences()
    this.#terms.set(term, added)
    return added
  }

  finish(image: ImageWriter): PostingsPlace {
    const sorted = sortTexts([...this.#terms.keys()])
    const counts = new Uint32Array(sorted.length)
    const rows = new ByteList()
    const places = new ByteList()
    const rowStarts = new Uint32Array(sorted.length + 1)
    const placeStarts = new Uint32Array(sorted.length + 1)
    sorted.forEach((term, number) => {
      const occurrences = this.#occurrencesOf(term)
      occurrences.flush()
      counts[number] = occurrences.count
      rows.addBytes(occurrences.rows.bytes)
      places.addBytes(occurrences.places.bytes)
      rowStarts[number + 1] = rows.length
      placeStarts[number + 1] = places.length
    })
    return {
      terms: addDictionary(image, sorted),
      counts: image.add('u32', counts),
      rows: image.add('u8', rows.bytes),
      rowStarts: image.add('u32', rowStarts),
      places: image.add('u8', places.bytes),
      placeStarts: image.add('u32', placeStarts),
    }
  }
}
