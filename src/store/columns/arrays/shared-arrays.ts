/**
 * An image: arrays of numbers, which all threads of the process share, and whose bytes a file can hold.
 * Where each array lies is plain data, which is kept beside the image.
 */

/** One buffer with all arrays; or those arrays of an image in a file that were read, by their offset. */
export type Image = SharedArrayBuffer | ReadonlyMap<number, SharedArrayBuffer>

interface Arrays {
  readonly u8: Uint8Array
  readonly u16: Uint16Array
  readonly i16: Int16Array
  readonly u32: Uint32Array
  readonly i32: Int32Array
  readonly f64: Float64Array
  readonly i64: BigInt64Array
}

type ArrayType = keyof Arrays

const OPEN: {
  readonly [Type in ArrayType]: (
    buffer: ArrayBufferLike,
    offset: number,
    length: number,
  ) => Arrays[Type]
} = {
  u8: (...at) => new Uint8Array(...at),
  u16: (...at) => new Uint16Array(...at),
  i16: (...at) => new Int16Array(...at),
  u32: (...at) => new Uint32Array(...at),
  i32: (...at) => new Int32Array(...at),
  f64: (...at) => new Float64Array(...at),
  i64: (...at) => new BigInt64Array(...at),
}

/** Where an array lies in its image. */
export interface Place<Type extends ArrayType = ArrayType> {
  readonly type: Type
  readonly offset: number
  readonly length: number
}

/** Whole numbers of the width that they need, or doubles. */
export type NumberArray = Arrays[Exclude<ArrayType, 'i64'>]

/** Every array starts at a multiple of this, as the widest of them require. */
const ALIGNMENT = 8

/** Collects arrays, and copies them into one buffer at the end. */
export class ImageWriter {
  readonly #arrays: { readonly array: Arrays[ArrayType]; readonly offset: number }[] = []
  #bytes = 0

  /** Equal arrays are stored once: the keys are often the values of a property, too. */
  add<Type extends ArrayType>(type: Type, array: Arrays[Type]): Place<Type> {
    const same = this.#arrays.find((one) => haveSameBytes(one.array, array))
    if (same !== undefined) return { type, offset: same.offset, length: array.length }
    const offset = this.#bytes
    this.#arrays.push({ array, offset })
    this.#bytes = Math.ceil((offset + array.byteLength) / ALIGNMENT) * ALIGNMENT
    return { type, offset, length: array.length }
  }

  /** Adds numbers in the narrowest type that holds all of them. */
  addNumbers(numbers: NumberArray, range: NumberRange): Place {
    const narrow = narrowest(range)
    if (narrow === undefined) return this.add('f64', Float64Array.from(numbers))
    const [type, make] = narrow
    const array = make(numbers.length)
    array.set(numbers)
    return this.add<ArrayType>(type, array)
  }

  finish(): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(this.#bytes)
    const bytes = new Uint8Array(buffer)
    for (const { array, offset } of this.#arrays) bytes.set(bytesOf(array), offset)
    return buffer
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Arrays[ArrayType]): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function haveSameBytes(one: Arrays[ArrayType], other: Arrays[ArrayType]): boolean {
  return one.byteLength === other.byteLength && Buffer.compare(bytesOf(one), bytesOf(other)) === 0
}

export interface NumberRange {
  readonly isWhole: boolean
  readonly min: number
  readonly max: number
}

/** The types of whole numbers, with the smallest and the largest number of each. */
const WHOLE_TYPES = [
  ['u8', (length: number): NumberArray => new Uint8Array(length), 0, 2 ** 8 - 1],
  ['u16', (length: number): NumberArray => new Uint16Array(length), 0, 2 ** 16 - 1],
  ['i16', (length: number): NumberArray => new Int16Array(length), -(2 ** 15), 2 ** 15 - 1],
  ['i32', (length: number): NumberArray => new Int32Array(length), -(2 ** 31), 2 ** 31 - 1],
  ['u32', (length: number): NumberArray => new Uint32Array(length), 0, 2 ** 32 - 1],
] as const

function narrowest({ isWhole, min, max }: NumberRange) {
  if (!isWhole) return undefined
  return WHOLE_TYPES.find(([, , lowest, highest]) => min >= lowest && max <= highest)
}

const BYTES: { readonly [Type in ArrayType]: number } = {
  ...{ u8: 1, u16: 2, i16: 2, u32: 4, i32: 4, f64: 8, i64: 8 },
}

/** Returns the number of bytes that an array takes. Arrays without any have no place of their own. */
export function bytesOfArray({ type, length }: Place): number {
  return BYTES[type] * length
}

/** Returns the places of all arrays that a description of columns names. */
export function* placesIn(description: unknown): Generator<Place> {
  if (typeof description !== 'object' || description === null) return
  if ('offset' in description) yield description as Place
  else for (const part of Object.values(description)) yield* placesIn(part)
}

const NOTHING = new SharedArrayBuffer(0)

/** Returns an array of an image, without copying it. */
export function arrayAt<Type extends ArrayType>(image: Image, place: Place<Type>): Arrays[Type] {
  const { type, offset, length } = place
  if (image instanceof SharedArrayBuffer) return OPEN[type](image, offset, length)
  const buffer = length === 0 ? NOTHING : image.get(offset)
  if (buffer === undefined) throw new Error(`the array at ${offset} was not read`)
  return OPEN[type](buffer, 0, length)
}

export function numbersAt(image: Image, place: Place): NumberArray {
  const array = arrayAt(image, place)
  if (array instanceof BigInt64Array) throw new Error('the array holds 64-bit integers')
  return array
}
