import type { Remedy } from '../../formats/remedy.ts'

/** An object to send, and the row it comes from. */
export interface OutgoingObject {
  readonly json: string
  readonly key: string
  readonly file: string
  readonly line: number
}

/** A row that was not written, and the reason. */
export interface Rejection {
  readonly file: string
  readonly line: number
  readonly property?: string | undefined
  /** The column of the property, if it is known. */
  readonly column?: string | undefined
  /** The beginning of the invalid value. */
  readonly excerpt: string
  readonly reason: string
  readonly remedy?: Remedy | undefined
  /** The row as JSON, if it could be read. */
  readonly row?: string | undefined
}

const PUT = '{"put":'
const FIRST_BYTES = 1024 * 1024
/** Texts are encoded some at a time: one call for each of them takes longer. */
const ENCODED_CHARACTERS = 16 * 1024

/**
 * The objects of one request, as its bytes. As one text each, they would live long enough for the
 * garbage collector to copy them twice.
 */
export class Batch {
  readonly keys: string[] = []
  readonly #files: string[] = []
  readonly #lines: number[] = []
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0
  #text = ''
  characters = 0

  /** Reuses the bytes of a batch that is not needed any more. */
  constructor(bytes: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_BYTES)) {
    this.#bytes = bytes
  }

  static of(objects: readonly OutgoingObject[]): Batch {
    const batch = new Batch()
    for (const { json, key, file, line } of objects) batch.add(json, key, file, line)
    return batch
  }

  get size(): number {
    return this.keys.length
  }

  add(json: string, key: string, file: string, line: number): void {
    this.keys.push(key)
    this.#files.push(file)
    this.#lines.push(line)
    this.#text += `${PUT}${json}}\n`
    this.characters += json.length
    if (this.#text.length >= ENCODED_CHARACTERS) this.#encode()
  }

  /** Returns the body of the request. */
  get body(): Uint8Array<ArrayBuffer> {
    this.#encode()
    return this.#bytes.subarray(0, this.#length)
  }

  /** Returns the bytes for another batch, after which this one is empty. */
  release(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes
    this.#bytes = new Uint8Array(0)
    return bytes
  }

  /** Returns the objects again, which takes as long as reading them did. */
  objects(): readonly OutgoingObject[] {
    const lines = new TextDecoder().decode(this.body).split('\n')
    return this.keys.map((key, at) => ({
      json: lines[at]?.slice(PUT.length, -1) ?? '',
      key,
      file: this.#files[at] ?? '',
      line: this.#lines[at] ?? 0,
    }))
  }

  #encode(): void {
    const needed = this.#length + 3 * this.#text.length
    if (needed > this.#bytes.length) {
      const bytes = new Uint8Array(Math.max(needed, 2 * this.#bytes.length))
      bytes.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = bytes
    }
    this.#length += ENCODER.encodeInto(this.#text, this.#bytes.subarray(this.#length)).written
    this.#text = ''
  }
}

const ENCODER = new TextEncoder()

/** The keys of a batch. Sets of them are built only if their ranges overlap, unlike in a sorted file. */
export class BatchKeys {
  readonly #keys: readonly string[]
  readonly #first: string
  readonly #last: string
  #set: ReadonlySet<string> | undefined

  constructor(keys: readonly string[]) {
    this.#keys = keys
    let first = keys[0] ?? ''
    let last = first
    for (const key of keys) {
      if (key > last) last = key
      else if (key < first) first = key
    }
    this.#first = first
    this.#last = last
  }

  isDisjointFrom(other: BatchKeys): boolean {
    if (this.#last < other.#first || other.#last < this.#first) return true
    return this.#all().isDisjointFrom(other.#all())
  }

  #all(): ReadonlySet<string> {
    this.#set ??= new Set(this.#keys)
    return this.#set
  }
}
