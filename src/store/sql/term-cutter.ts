/**
 * Cuts texts into indexed terms in one pass, straight into UTF-8. Cutting terms costs more than
 * parsing an object, so no list of strings is made on the way. The result has exactly the bytes of
 * `indexedTerms`.
 */
import { type NumberedTexts, PrefixBytes, TERM_BORDER } from './text-index.ts'

const SPACE = 0x20
const PERIOD = 0x2e
/** A larger buffer is dropped after use. */
const KEPT_BUFFER_BYTES = 256 * 1024

/** What becomes of a character: it ends a term, is escaped, or becomes the byte of its class. */
const SEPARATOR = 0
const ESCAPED = 1
const CLASSES = classesOfAscii()

function classesOfAscii(): Uint8Array {
  const classes = new Uint8Array(128)
  for (let code = 0; code < 128; code += 1) {
    const sign = String.fromCharCode(code)
    if (/[\s?!,:;\-[\](){}'"~]/.test(sign)) classes[code] = SEPARATOR
    else if (/[A-Za-z0-9]/.test(sign)) classes[code] = sign.toLowerCase().charCodeAt(0)
    else classes[code] = ESCAPED
  }
  return classes
}

const ASCII = /^[\0-\x7f]*$/
const WHITE_SPACE = /\s/
/** The bytes of `ESCAPE` in text-index.ts, and of the private range that it protects. */
const ESCAPE = Buffer.from('\ue0fe')
const isPrivate = (code: number) => code >= 0xe000 && code <= 0xe0ff

/** Reuses one buffer for all objects, so a result is valid until the next call. */
export class TermCutter {
  readonly #prefixes = new PrefixBytes()
  readonly #border = Buffer.from(TERM_BORDER)
  #buffer = Buffer.allocUnsafe(KEPT_BUFFER_BYTES)
  #length = 0

  /** Returns the indexed terms of one object. */
  cut(fields: readonly NumberedTexts[]): Uint8Array {
    if (this.#buffer.length > KEPT_BUFFER_BYTES) {
      this.#buffer = Buffer.allocUnsafe(KEPT_BUFFER_BYTES)
    }
    this.#length = 0
    for (const [field, texts] of fields) {
      const prefix = this.#prefixes.of(field)
      for (const text of texts) {
        // Lower case may be longer. Greek has two lower-case forms of sigma.
        this.#cutText(ASCII.test(text) ? text : text.toLowerCase().replaceAll('ς', 'σ'), prefix)
      }
    }
    return this.#buffer.subarray(0, this.#length)
  }

  #cutText(text: string, prefix: Uint8Array): void {
    const { length } = text
    // For each character at most a separator, a prefix and an escape, then the border.
    this.#reserve(length * (prefix.length + 7) + 8)
    const buffer = this.#buffer
    let at = this.#length
    if (at > 0) buffer[at++] = SPACE
    for (let index = 0; index < length; ) {
      if (isSeparator(text, index)) {
        index += 1
        continue
      }
      const [first, start] = [index, at]
      for (let byte = 0; byte < prefix.length; byte += 1) buffer[at++] = prefix[byte] as number
      do {
        const code = text.charCodeAt(index)
        if (code > 0x7f) {
          const isPair = code >= 0xd800 && code <= 0xdbff
          at = isPair ? addPair(buffer, at, text, index) : addCharacter(buffer, at, code)
          index += isPair ? 2 : 1
        } else {
          const byte = CLASSES[code] as number
          if (byte === ESCAPED) at = addUtf8(buffer, at, 0xe000 + code)
          else buffer[at++] = byte
          index += 1
        }
      } while (index < length && !isSeparator(text, index))
      // A lone period is not a term.
      if (index - first === 1 && text.charCodeAt(first) === PERIOD) at = start
      else buffer[at++] = SPACE
    }
    buffer.set(this.#border, at)
    this.#length = at + this.#border.length
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length))
    larger.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = larger
  }
}

function isSeparator(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code > 0x7f ? WHITE_SPACE.test(text.charAt(index)) : CLASSES[code] === SEPARATOR
}

function addCharacter(buffer: Uint8Array, at: number, code: number): number {
  if (!isPrivate(code)) return addUtf8(buffer, at, code)
  buffer.set(ESCAPE, at)
  const hex = Buffer.from(code.toString(16))
  buffer.set(hex, at + ESCAPE.length)
  return at + ESCAPE.length + hex.length
}

function addPair(buffer: Uint8Array, at: number, text: string, index: number): number {
  return addUtf8(buffer, at, text.codePointAt(index) ?? 0)
}

/** Writes a code point beyond ASCII, and returns the position after it. */
export function addUtf8(buffer: Uint8Array, at: number, code: number): number {
  let next = at
  if (code < 0x800) buffer[next++] = 0xc0 | (code >> 6)
  else {
    if (code < 0x10000) buffer[next++] = 0xe0 | (code >> 12)
    else {
      buffer[next++] = 0xf0 | (code >> 18)
      buffer[next++] = 0x80 | ((code >> 12) & 0x3f)
    }
    buffer[next++] = 0x80 | ((code >> 6) & 0x3f)
  }
  buffer[next++] = 0x80 | (code & 0x3f)
  return next
}
