/** Builds the term index of one field. */
import type { Language } from '../../../ontology/definition/language.ts'
import { analyseText } from '../../../query/matching/analyser.ts'
import { stemsOf } from '../../../query/matching/stem.ts'
import { addDictionary, sortTexts } from '../arrays/dictionary.ts'
import { Growing } from '../arrays/growing.ts'
import type { ImageWriter } from '../arrays/shared-arrays.ts'
import { ByteList, bytesOfNumber, NumberReader, writeNumber } from '../arrays/varint.ts'
import { AsciiCutter } from './ascii-cutter.ts'
import { FIRST_PLACE, NO_PLACE, type PostingsPlace, TERM_BLOCK } from './postings.ts'
import { TermNumbers } from './term-numbers.ts'

/** Which texts each position has: their numbers from 1 on, in the order of `add`; 0 is none. */
export interface TextsOfPositions {
  readonly of: PostingsPlace['of']
  readonly texts: Uint32Array
  /** Position p has the texts from `starts[p]` to `starts[p + 1]`; undefined if it has one, p. */
  readonly starts: Uint32Array | undefined
}

type Visit = (term: number, position: number, place: number) => void

export class PostingsBuilder {
  readonly #numbers = new TermNumbers()
  /** For each text: how many terms have no place, these, how many have one, these. */
  readonly #sequences = new ByteList()
  readonly #starts = new Growing((length) => new Uint32Array(length), 1024)
  readonly #language: Language | undefined
  /** For each term: the number of its stem plus 1, or 0 if it is its own. */
  readonly #stems = new Growing((length) => new Uint32Array(length), 512)
  readonly #cutter = new AsciiCutter(this.#numbers)

  constructor(language: Language | undefined) {
    this.#language = language
  }

  /** Adds a text. Whether it is that of one row or of many is known at the end. */
  add(text: string): void {
    this.#starts.push(this.#sequences.length)
    let terms: readonly number[] | undefined = this.#cutter.termsOf(text)
    let wholes: readonly number[] = []
    if (terms === undefined) {
      const analysed = analyseText(text)
      wholes = analysed.wholes.map((term) => this.#numbers.of(term))
      terms = analysed.terms.map((term) => this.#numbers.of(term))
    }
    const language = this.#language
    this.#addTerms(language === undefined ? wholes : [...wholes, ...this.#stemsOf(terms, language)])
    this.#addTerms(terms)
  }

  #addTerms(numbers: readonly number[]): void {
    this.#sequences.addNumber(numbers.length)
    for (const number of numbers) this.#sequences.addNumber(number)
  }

  #stemsOf(terms: readonly number[], language: Language): number[] {
    return terms.flatMap((term) => {
      while (this.#stems.length <= term) {
        const [stem] = stemsOf([this.#numbers.textOf(this.#stems.length)], language)
        this.#stems.push(stem === undefined ? 0 : this.#numbers.of(stem) + 1)
      }
      const stem = this.#stems.at(term)
      return stem === 0 ? [] : [stem - 1]
    })
  }

  finish(image: ImageWriter, positions: TextsOfPositions): PostingsPlace {
    const { terms, order } = sortedTerms(this.#numbers)
    const sizes = new Sizes(order.length)
    this.#visit(positions, (...occurrence) => sizes.add(...occurrence))
    const { bytes, blocks, writer } = sizes.layOut(order)
    this.#visit(positions, (...occurrence) => writer.add(...occurrence))
    return {
      of: positions.of,
      terms: addDictionary(image, terms),
      bytes: image.add('u8', bytes),
      blocks: image.add('u32', blocks),
    }
  }

  /** Visits all occurrences in the order of positions. Those without a place come first. */
  #visit({ texts, starts }: TextsOfPositions, visit: Visit): void {
    const size = starts === undefined ? texts.length : starts.length - 1
    const reader = new NumberReader(this.#sequences.bytes, 0)
    const textStarts = this.#starts.array
    for (let position = 0; position < size; position += 1) {
      const from = starts === undefined ? position : (starts[position] as number)
      const to = starts === undefined ? position + 1 : (starts[position + 1] as number)
      for (let at = from; at < to; at += 1) {
        const text = texts[at] as number
        if (text === 0) continue
        reader.at = textStarts[text - 1] as number
        for (let rest = reader.next(); rest > 0; rest -= 1) visit(reader.next(), position, NO_PLACE)
      }
      let place = FIRST_PLACE
      for (let at = from; at < to; at += 1) {
        const text = texts[at] as number
        if (text === 0) continue
        reader.at = textStarts[text - 1] as number
        for (let rest = reader.next(); rest > 0; rest -= 1) reader.next()
        for (let rest = reader.next(); rest > 0; rest -= 1) {
          visit(reader.next(), position, place)
          place += 1
        }
        // The terms of two texts are not neighbours.
        place += 1
      }
    }
  }
}

/** Returns the terms in the order of a dictionary, and their numbers. */
function sortedTerms(numbers: TermNumbers): { terms: readonly string[]; order: Uint32Array } {
  const terms = Array.from({ length: numbers.size }, (_, number) => numbers.textOf(number))
  const sorted = sortTexts(terms)
  return { terms: sorted, order: Uint32Array.from(sorted, (term) => numbers.of(term)) }
}

/** What is known about each term while its occurrences are visited. */
class TermStates {
  readonly positions: Int32Array
  readonly places: Uint32Array

  constructor(terms: number) {
    this.positions = new Int32Array(terms).fill(-1)
    this.places = new Uint32Array(terms)
  }
}

/** Measures what the occurrences of each term take. */
class Sizes extends TermStates {
  readonly #rows: Uint32Array
  readonly #rowBytes: Uint32Array
  readonly #placeBytes: Uint32Array

  constructor(terms: number) {
    super(terms)
    this.#rows = new Uint32Array(terms)
    this.#rowBytes = new Uint32Array(terms)
    this.#placeBytes = new Uint32Array(terms)
  }

  add(term: number, position: number, place: number): void {
    const last = this.positions[term] as number
    const isSameRow = last === position
    if (isSameRow && place === NO_PLACE) return
    if (!isSameRow) {
      this.positions[term] = position
      this.#rows[term] = (this.#rows[term] as number) + 1
      this.#rowBytes[term] = (this.#rowBytes[term] as number) + bytesOfNumber(position - last - 1)
    }
    const number = placeNumber(isSameRow, place, this.places[term] as number)
    this.#placeBytes[term] = (this.#placeBytes[term] as number) + bytesOfNumber(number)
    this.places[term] = place
  }

  /** Gives every term its bytes, in an order. */
  layOut(order: Uint32Array): { bytes: Uint8Array; blocks: Uint32Array; writer: Occurrences } {
    const terms = order.length
    const blocks = new Uint32Array(Math.ceil(terms / TERM_BLOCK))
    const headers = new ByteList()
    const headerEnds = new Uint32Array(terms)
    const rowsAt = new Uint32Array(terms)
    const placesAt = new Uint32Array(terms)
    let length = 0
    for (const [index, term] of order.entries()) {
      const rowBytes = this.#rowBytes[term] as number
      const placeBytes = this.#placeBytes[term] as number
      const isSingle = this.#rows[term] === 1
      const before = headers.length
      const own = rowBytes + placeBytes + (isSingle ? 0 : bytesOfNumber(rowBytes))
      headers.addNumber(own * 2 + Number(isSingle))
      if (!isSingle) headers.addNumber(rowBytes)
      headerEnds[index] = headers.length
      if (index % TERM_BLOCK === 0) blocks[index / TERM_BLOCK] = length
      rowsAt[term] = length + headers.length - before
      placesAt[term] = (rowsAt[term] as number) + rowBytes
      length = (placesAt[term] as number) + placeBytes
    }
    const bytes = new Uint8Array(length)
    let headerAt = 0
    for (const [index, term] of order.entries()) {
      const header = headers.bytes.subarray(headerAt, headerEnds[index])
      bytes.set(header, (rowsAt[term] as number) - header.length)
      headerAt = headerEnds[index] as number
    }
    return { bytes, blocks, writer: new Occurrences(bytes, rowsAt, placesAt) }
  }
}

/** Writes the occurrences of each term at its place. */
class Occurrences extends TermStates {
  readonly #bytes: Uint8Array
  readonly #rowsAt: Uint32Array
  readonly #placesAt: Uint32Array

  constructor(bytes: Uint8Array, rowsAt: Uint32Array, placesAt: Uint32Array) {
    super(rowsAt.length)
    this.#bytes = bytes
    this.#rowsAt = rowsAt
    this.#placesAt = placesAt
  }

  add(term: number, position: number, place: number): void {
    const last = this.positions[term] as number
    const isSameRow = last === position
    if (isSameRow && place === NO_PLACE) return
    if (!isSameRow) {
      this.positions[term] = position
      const at = this.#rowsAt[term] as number
      this.#rowsAt[term] = writeNumber(this.#bytes, at, position - last - 1)
    }
    const number = placeNumber(isSameRow, place, this.places[term] as number)
    this.#placesAt[term] = writeNumber(this.#bytes, this.#placesAt[term] as number, number)
    this.places[term] = place
  }
}

/** Twice the distance to the place before in the same row, plus 1 if there is one. */
function placeNumber(isSameRow: boolean, place: number, before: number): number {
  return isSameRow ? (place - before) * 2 + 1 : place * 2
}
