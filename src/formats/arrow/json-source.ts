/** A position in bytes of JSON, from which values are read one after the other. */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
const SPACE = 0x20

export class JsonSource {
  readonly bytes: Uint8Array
  readonly view: DataView
  at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** Moves to the next character that is not a space or a line feed, and returns it; undefined at the end. */
  skipSpace(): number | undefined {
    while ((this.bytes[this.at] as number) <= SPACE) this.at += 1
    return this.bytes[this.at]
  }

  /** Moves behind a character, if it follows. */
  take(character: number): boolean {
    if (this.bytes[this.at] !== character && this.skipSpace() !== character) return false
    this.at += 1
    return true
  }

  expect(character: number): void {
    if (!this.take(character)) throw new Error('a record of the export is not JSON')
  }

  /** Parses the value that starts here. */
  parse(): unknown {
    const start = this.at
    this.skipValue()
    const { buffer, byteOffset } = this.bytes
    return JSON.parse(Buffer.from(buffer, byteOffset + start, this.at - start).toString('utf8'))
  }

  skipValue(): void {
    const first = this.bytes[this.at]
    if (first === QUOTE) this.#skipString()
    else if (first === OPEN_BRACE || first === OPEN_BRACKET) this.#skipNested()
    else while (this.at < this.bytes.length && !this.endsNumber()) this.at += 1
  }

  /** Whether a number, or a word such as true, ends here. */
  endsNumber(): boolean {
    const byte = this.bytes[this.at] as number
    return byte === COMMA || byte === CLOSE_BRACE || byte <= SPACE
  }

  #skipString(): void {
    const { bytes } = this
    let at = this.at + 1
    while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
    this.at = Math.min(at + 1, bytes.length)
  }

  #skipNested(): void {
    const { bytes } = this
    let depth = 0
    do {
      const byte = bytes[this.at]
      if (byte === QUOTE) {
        this.#skipString()
        continue
      }
      this.at += 1
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
    } while (depth > 0 && this.at < bytes.length)
  }
}

/** The bytes that are compared at once. */
const WORD = 4

/** The name of a property and its colon, as they stand in compact JSON. */
export class JsonKey {
  readonly #words: Int32Array
  readonly #rest: Uint8Array
  readonly #length: number

  constructor(name: string) {
    const bytes = new Uint8Array(Buffer.from(`${JSON.stringify(name)}:`))
    const { view } = new JsonSource(bytes)
    const words = Math.floor(bytes.length / WORD)
    this.#words = Int32Array.from({ length: words }, (_, index) =>
      view.getInt32(WORD * index, true),
    )
    this.#rest = bytes.subarray(WORD * words)
    this.#length = bytes.length
  }

  /** Moves the source behind the key, if it continues with it. */
  skip(source: JsonSource): boolean {
    const { bytes, view } = source
    const end = source.at + this.#length
    if (end > bytes.length) return false
    let { at } = source
    for (let index = 0; index < this.#words.length; index += 1) {
      if (view.getInt32(at, true) !== this.#words[index]) return false
      at += WORD
    }
    for (let index = 0; index < this.#rest.length; index += 1) {
      if (bytes[at + index] !== this.#rest[index]) return false
    }
    source.at = end
    return true
  }
}
