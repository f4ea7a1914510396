/**
 * A dictionary: texts in the order of their UTF-8 bytes, which is that of their code points and of
 * both databases. The number of a text is its place in the order. Neighbours share the beginning of
 * their texts, which is stored once per block.
 */
import { Growing } from './growing.ts'
import { arrayAt, type Image, ImageWriter, type Place } from './shared-arrays.ts'
import { ByteList, NumberReader } from './varint.ts'

/** Where the parts of a dictionary lie in its image. */
export interface DictionaryPlace {
  readonly size: number
  readonly bytes: Place<'u8'>
  readonly blocks: Place<'u32'>
}

/** The number of texts in a block, which are read one after the other. */
const BLOCK = 16

/** The two lengths of a text are halves of a byte if both are shorter; otherwise they follow it. */
const LONG = 15
const LONG_BYTE = LONG * 16 + LONG

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
    this.#addLengths(shared, length - shared)
    this.#bytes.addBytes(encoded.subarray(shared, length))
    this.#other = this.#text
    this.#text = encoded
    this.#length = length
    this.#size += 1
  }

  #addLengths(shared: number, own: number): void {
    if (shared < LONG && own < LONG) {
      this.#bytes.addByte(shared * 16 + own)
      return
    }
    this.#bytes.addByte(LONG_BYTE)
    this.#bytes.addNumber(shared)
    this.#bytes.addNumber(own)
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

/** Sorts texts as a dictionary has them. */
export function sortTexts(texts: string[]): string[] {
  return isInByteOrder(texts)
    ? texts.sort()
    : texts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

/** True if JavaScript orders texts by their bytes: it sorts surrogates before other characters. */
export function isInByteOrder(texts: readonly string[]): boolean {
  return !texts.some((text) => SURROGATE_OR_LATER.test(text))
}

const SURROGATE_OR_LATER = /[\ud800-\uffff]/

export class Dictionary {
  readonly size: number
  readonly #bytes: Buffer
  readonly #blocks: Uint32Array
  readonly #reader: TextReader
  /** Dictionaries never change, and are compared often. */
  readonly #numbersIn = new WeakMap<Dictionary, Int32Array>()

  constructor(image: Image, { size, bytes, blocks }: DictionaryPlace) {
    this.size = size
    const { buffer, byteOffset, length } = arrayAt(image, bytes)
    this.#bytes = Buffer.from(buffer, byteOffset, length)
    this.#blocks = arrayAt(image, blocks)
    this.#reader = new TextReader(this.#bytes)
  }

  /** Returns a dictionary in an image of its own. */
  copy(): Dictionary {
    const image = new ImageWriter()
    const bytes = image.add('u8', this.#bytes)
    const blocks = image.add('u32', this.#blocks)
    return new Dictionary(image.finish(), { size: this.size, bytes, blocks })
  }

  at(number: number): string {
    if (number < 0 || number >= this.size) {
      throw new RangeError(`the dictionary has no text ${number}`)
    }
    const reader = this.#reader
    this.#moveTo(reader, number)
    return reader.text
  }

  /** Returns the texts with the numbers from `from`, without `to`. */
  *slice(from: number, to: number): Generator<string> {
    const reader = new TextReader(this.#bytes)
    for (let number = from; number < Math.min(to, this.size); number += 1) {
      this.#moveTo(reader, number)
      yield reader.text
    }
  }

  /** Returns the number of a text, the first one of equals, or undefined if there is none. */
  find(text: string): number | undefined {
    const number = this.countBefore(text)
    return number < this.size && this.at(number) === text ? number : undefined
  }

  /** Returns for each text, from place 1 on, its number in another dictionary plus 1; 0 for none. */
  numbersIn(other: Dictionary): Int32Array {
    const known = this.#numbersIn.get(other)
    if (known !== undefined) return known
    const numbers = new Int32Array(this.size + 1)
    let place = 0
    for (const text of this.slice(0, this.size)) {
      place += 1
      numbers[place] = (other.find(text) ?? -1) + 1
    }
    this.#numbersIn.set(other, numbers)
    return numbers
  }

  /** Returns how many texts come before a text. */
  countBefore(text: string): number {
    const encoded = Buffer.from(text)
    let from = 0
    let to = this.#blocks.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#compare(middle * BLOCK, encoded) < 0) from = middle + 1
      else to = middle
    }
    // The block before may contain it.
    const end = Math.min(from * BLOCK, this.size)
    for (let number = Math.max(from - 1, 0) * BLOCK; number < end; number += 1) {
      if (this.#compare(number, encoded) >= 0) return number
    }
    return end
  }

  #compare(number: number, encoded: Buffer): number {
    const reader = this.#reader
    this.#moveTo(reader, number)
    return reader.compare(encoded)
  }

  #moveTo(reader: TextReader, number: number): void {
    const block = number - (number % BLOCK)
    // Reading goes on where it was, if that is in the same block.
    if (reader.number < block || reader.number > number) {
      reader.start(block, this.#blocks[block / BLOCK] as number)
    }
    while (reader.number < number) reader.next()
  }
}

/** Reads the texts of a dictionary one after the other. */
class TextReader {
  /** Which text was read last. */
  number = -1
  readonly #bytes: Buffer
  readonly #numbers: NumberReader
  #text = Buffer.allocUnsafe(64)
  #length = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#numbers = new NumberReader(bytes, 0)
  }

  /** Reads the first text of a block. */
  start(number: number, at: number): void {
    this.#numbers.at = at
    this.number = number - 1
    this.next()
  }

  next(): void {
    const numbers = this.#numbers
    const lengths = this.#bytes[numbers.at] as number
    numbers.at += 1
    const isLong = lengths === LONG_BYTE
    const shared = isLong ? numbers.next() : lengths >>> 4
    const own = isLong ? numbers.next() : lengths & 15
    this.#length = shared + own
    if (this.#length > this.#text.length) {
      const larger = Buffer.allocUnsafe(this.#length * 2)
      this.#text.copy(larger, 0, 0, shared)
      this.#text = larger
    }
    const [text, bytes, { at }] = [this.#text, this.#bytes, numbers]
    for (let index = 0; index < own; index += 1) text[shared + index] = bytes[at + index] as number
    numbers.at = at + own
    this.number += 1
  }

  get text(): string {
    return this.#text.toString('utf8', 0, this.#length)
  }

  compare(encoded: Buffer): number {
    return this.#text.compare(encoded, 0, encoded.length, 0, this.#length)
  }
}
