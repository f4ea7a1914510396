/**
 * The image of a segment in a file, whose arrays are read one by one. The file is opened for each read,
 * so that descriptors do not grow with the number of types. An array is believed only if its checksum
 * fits: a file that was deleted, replaced or damaged meanwhile is built again.
 */
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

/** Read at once. Between two portions, other work goes on. */
const PORTION_BYTES = 4 * 1024 * 1024

/** An array of an image, with its bytes when it was written. */
export interface FileArray {
  readonly offset: number
  readonly bytes: number
  readonly checksum: number
}

/** Thrown for a file that is not what was written. */
export class DamagedFile extends Error {
  readonly path: string

  constructor(path: string, reason: string) {
    super(reason)
    this.path = path
  }
}

export class FileImage {
  /** The arrays that are in memory, by their offset. */
  readonly arrays = new Map<number, SharedArrayBuffer>()
  readonly path: string
  /** Where the image starts in the file. */
  readonly #start: number
  readonly #written: ReadonlyMap<number, FileArray>

  constructor(path: string, start: number, arrays: readonly FileArray[]) {
    this.path = path
    this.#start = start
    this.#written = new Map(arrays.map((array) => [array.offset, array]))
  }

  get bytes(): number {
    return this.#written.values().reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** The bytes of an array. */
  bytesOf(offset: number): number {
    return this.#arrayAt(offset).bytes
  }

  /** Reads arrays. Throws `DamagedFile` unless all of them are as they were written. */
  async read(offsets: readonly number[]): Promise<ReadonlyMap<number, SharedArrayBuffer>> {
    const read = new Map<number, SharedArrayBuffer>()
    try {
      await using file = await open(this.path, 'r')
      for (const offset of offsets) {
        const { bytes, checksum } = this.#arrayAt(offset)
        const buffer = new SharedArrayBuffer(bytes)
        let found = 0
        for (let at = 0; at < bytes; at += PORTION_BYTES) {
          const portion = new Uint8Array(buffer, at, Math.min(PORTION_BYTES, bytes - at))
          const place = this.#start + offset + at
          const { bytesRead } = await file.read(portion, 0, portion.length, place)
          if (bytesRead < portion.length) throw new Error('it is truncated')
          found = crc32(portion, found)
        }
        if (found !== checksum) throw new Error(`the array at ${offset} has another checksum`)
        read.set(offset, buffer)
      }
    } catch (error) {
      throw new DamagedFile(this.path, String(error))
    }
    return read
  }

  #arrayAt(offset: number): FileArray {
    const array = this.#written.get(offset)
    if (array === undefined) throw new Error(`the image has no array at ${offset}`)
    return array
  }
}
