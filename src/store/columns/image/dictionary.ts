/**
 * A dictionary: texts in the order of their UTF-8 bytes, which is that of their code points
 * and of both databases. The number of a text is its place in the order. Neighbours share the
 * beginning of their texts, which is stored once per block.
 */
import { Growing } from './growing.ts'
import { arrayAt, type ImageWriter, type Place } from './image.ts'
import { ByteList, NumberReader } from './varint.ts'

/** Where the parts of a dictionary lie in its image. */
export interface DictionaryPlace {
  readonly size: number
  readonly bytes: Place<'u8'>
  readonly blocks: Place<'u32'>
}

/** The number of texts in a block, which are read one after the other. */
const BLOCK = 16

/** Writes sorted texts one after the other. Equal ones may follow each other. */
export class DictionaryWriter {
  readonly #bytes = new ByteList()
  readonly #blocks = new Growing((length) => new Uint32Array(length), 16)
  #size = 0
  #text = Buffer.allocUnsafe(64)
  #length = 0
  #other = Buffer.allocUnsafe(64)

  add(text: string): void {
    // A UTF-16 unit takes at most three bytes.
    if (text.length * 3 > this.#other.length) this.#other = Buffer.allocUnsafe(text.length * 6)
    const encoded = this.#other
    const length = encoded.write(text)
    const isFirst = this.#size % BLOCK === 0
    if (isFirst) this.#blocks.push(this.#bytes.length)
    const end = isFirst ? 0 : Math.min(length, this.#length)
    let shared = 0
    while (shared < end && encoded[shared] === this.#text[shared]) shared += 1
    this.#bytes.addNumber(shared)
    this.#bytes.addNumber(length - shared)
    this.#bytes.addBytes(encoded.subarray(shared, length))
    this.#other = this.#text
    this.#text = encoded
    this.#length = length
    this.#size += 1
  }

  finish(image: ImageWriter): DictionaryPlace {
    return {
      size: this.#size,
      bytes: image.add('u8', this.#bytes.bytes),
      blocks: image.add('u32', this.#blocks.array),
    }
  }
}

/** Adds sorted texts to an image. */
export function addDictionary(image: ImageWriter, texts: Iterable<string>): DictionaryPlace {
  const writer = new DictionaryWriter()
  for (const text of texts) writer.add(text)
  return writer.finish(image)
}

/** Sorts texts as a dictionary has them. JavaScript sorts surrogates before other characters. */
export function sortTexts(texts: string[]): string[] {
  return texts.some((text) => SURROGATE_OR_LATER.test(text))
    ? texts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : texts.sort()
}

const SURROGATE_OR_LATER = /[\ud800-\uffff]/

export class Dictionary {
  readonly size: number
  readonly #bytes: Buffer
  readonly #blocks: Uint32Array

  constructor(buffer: SharedArrayBuffer, { size, bytes, blocks }: DictionaryPlace) {
    this.size = size
    this.#bytes = Buffer.from(buffer, bytes.offset, bytes.length)
    this.#blocks = arrayAt(buffer, blocks)
  }

  at(number: number): string {
    const [text] = this.slice(number, number + 1)
    if (text === undefined) throw new RangeError(`the dictionary has no text ${number}`)
    return text
  }

  /** Returns the texts with the numbers from `from`, without `to`. */
  *slice(from: number, to: number): Generator<string> {
    for (const { number, bytes } of this.#entries(from - (from % BLOCK))) {
      if (number >= to) return
      if (number >= from) yield bytes.toString()
    }
  }

  /** Returns the number of a text, the first one of equals, or undefined if there is none. */
  find(text: string): number | undefined {
    const encoded = Buffer.from(text)
    const number = this.#firstFrom(encoded)
    return number < this.size && this.at(number) === text ? number : undefined
  }

  /** Returns how many texts come before a text. */
  countBefore(text: string): number {
    return this.#firstFrom(Buffer.from(text))
  }

  #firstFrom(encoded: Buffer): number {
    let from = 0
    let to = this.#blocks.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if (Buffer.compare(this.#firstOf(middle), encoded) < 0) from = middle + 1
      else to = middle
    }
    // The block before may contain it.
    if (from === 0) return 0
    for (const { number, bytes } of this.#entries((from - 1) * BLOCK)) {
      if (number >= from * BLOCK) break
      if (Buffer.compare(bytes, encoded) >= 0) return number
    }
    return Math.min(from * BLOCK, this.size)
  }

  #firstOf(block: number): Buffer {
    const reader = new NumberReader(this.#bytes, this.#blocks[block] as number)
    reader.next()
    const length = reader.next()
    return this.#bytes.subarray(reader.at, reader.at + length)
  }

  /** Reads entries from the start of a block on. The bytes of an entry change with the next one. */
  *#entries(start: number): Generator<{ readonly number: number; readonly bytes: Buffer }> {
    if (start >= this.size) return
    const reader = new NumberReader(this.#bytes, this.#blocks[start / BLOCK] as number)
    let scratch = Buffer.allocUnsafe(64)
    for (let number = start; number < this.size; number += 1) {
      const shared = reader.next()
      const length = shared + reader.next()
      if (length > scratch.length) {
        const larger = Buffer.allocUnsafe(length * 2)
        scratch.copy(larger, 0, 0, shared)
        scratch = larger
      }
      this.#bytes.copy(scratch, shared, reader.at, reader.at + length - shared)
      reader.at += length - shared
      yield { number, bytes: scratch.subarray(0, length) }
    }
  }
}
