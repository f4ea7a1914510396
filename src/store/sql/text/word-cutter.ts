/**
 * Cuts texts into the indexed terms of the analyser in one pass, straight into UTF-8: cutting terms
 * costs more than parsing an object, so no list of strings is made on the way. The result has
 * exactly the bytes of `indexedTerms`.
 */
import type { Language } from '../../../ontology/definition/language.ts'
import { analyseText } from '../../../query/matching/analyser.ts'
import {
  classOf,
  classOfUnit,
  DENSE,
  SEPARATOR,
  WORD,
} from '../../../query/matching/character-classes.ts'
import { foldText } from '../../../query/matching/fold-text.ts'
import { MAX_JOINED_PARTS, MAX_SYMBOLS } from '../../../query/matching/scan-words.ts'
import { rememberStems, stemsOf } from '../../../query/matching/stem.ts'
import { indexedTerm, type NumberedTexts, PrefixBytes, TERM_BORDER } from './text-index.ts'

const [SPACE, PLUS, HASH, PERIOD] = [0x20, 0x2b, 0x23, 0x2e] as const
const [APOSTROPHE, HYPHEN, AMPERSAND] = [0x27, 0x2d, 0x26] as const
/** A larger buffer is dropped after use. */
const KEPT_BUFFER_BYTES = 256 * 1024

const ASCII = /^[\0-\x7f]*$/
/** The characters of ASCII in the class of words. The whole table takes each thread 20 ms to make. */
const ASCII_WORD = /^[a-z\d]$/i

/** The byte that an ASCII character becomes; 0 if it ends a part. */
const BYTES = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return ASCII_WORD.test(sign) ? sign.toLowerCase().charCodeAt(0) : 0
})

/** Reuses its buffers for all objects, so a result is valid until the next call. */
export class WordCutter {
  readonly #prefixes = new PrefixBytes()
  readonly #border = Buffer.from(TERM_BORDER)
  readonly #stemmed = rememberStems()
  #buffer = Buffer.allocUnsafe(KEPT_BUFFER_BYTES)
  #length = 0
  /** The terms without a position of the current text, which follow the others. */
  #wholes = Buffer.allocUnsafe(1024)
  #wholesLength = 0
  /** The start and the end in the buffer of each part of the current word. */
  readonly #parts = new Int32Array(2 * MAX_JOINED_PARTS)

  /** Returns the indexed terms of one object. */
  cut(fields: readonly NumberedTexts[]): Uint8Array {
    if (this.#buffer.length > KEPT_BUFFER_BYTES) {
      this.#buffer = Buffer.allocUnsafe(KEPT_BUFFER_BYTES)
      this.#wholes = Buffer.allocUnsafe(1024)
    }
    this.#length = 0
    for (const [field, texts, language] of fields) {
      const prefix = this.#prefixes.of(field)
      for (const text of texts) {
        this.#cutText(ASCII.test(text) ? text : foldText(text), prefix)
        if (language !== undefined) this.#addStems(text, prefix, language)
        if (this.#wholesLength > 0) this.#addWholes()
      }
    }
    return this.#buffer.subarray(0, this.#length)
  }

  #cutText(text: string, prefix: Uint8Array): void {
    const { length } = text
    // A character becomes at most a prefix, two characters of four bytes and a space.
    this.#length = this.#reserve(length * (prefix.length + 9) + 8)
    this.#wholesLength = 0
    const buffer = this.#buffer
    const parts = this.#parts
    let at = this.#length
    let count = 0
    if (at > 0) buffer[at++] = SPACE
    for (let index = 0; index < length; ) {
      const code = text.charCodeAt(index)
      if (code < 0x80) {
        if (BYTES[code] === 0) {
          index += 1
          continue
        }
      } else {
        const kind = classAt(text, index)
        if (kind !== WORD) {
          if (kind === DENSE) at = addPair(buffer, addBytes(buffer, at, prefix), text, index)
          index += sizeOf(code)
          continue
        }
      }
      const first = index
      for (let byte = 0; byte < prefix.length; byte += 1) buffer[at++] = prefix[byte] as number
      const start = at
      while (index < length) {
        const unit = text.charCodeAt(index)
        if (unit < 0x80) {
          const byte = BYTES[unit] as number
          if (byte === 0) break
          buffer[at++] = byte
          index += 1
        } else if (classAt(text, index) === WORD) {
          at = addUtf8(buffer, at, text.codePointAt(index) ?? 0)
          index += sizeOf(unit)
        } else break
      }
      buffer[at++] = SPACE
      const sign = text.charCodeAt(index)
      // Most parts are words of their own.
      if (count === 0 && sign === SPACE) continue
      if (count < MAX_JOINED_PARTS) {
        parts[2 * count] = start
        parts[2 * count + 1] = at - 1
      }
      count += 1
      if (isJoinedAt(text, first, index)) continue
      if (count > 1 && count <= MAX_JOINED_PARTS) this.#addJoined(prefix, count)
      count = 0
      const symbols = symbolsAt(text, index)
      if (symbols > 0) this.#addNamed(prefix, start, at - 1, text, index, symbols)
    }
    buffer.set(this.#border, at)
    this.#length = at + this.#border.length
  }

  #addJoined(prefix: Uint8Array, count: number): void {
    const parts = this.#parts
    const end = parts[2 * count - 1] ?? 0
    this.#startWhole(prefix, end - (parts[0] ?? 0))
    for (let part = 0; part < count; part += 1) {
      this.#copyToWhole(parts[2 * part] ?? 0, parts[2 * part + 1] ?? 0)
    }
    this.#endWhole()
  }

  #addNamed(
    prefix: Uint8Array,
    start: number,
    end: number,
    text: string,
    index: number,
    symbols: number,
  ): void {
    this.#startWhole(prefix, end - start)
    this.#copyToWhole(start, end)
    for (let at = index; at < index + symbols; at += 1) {
      // Punctuation is escaped, as in text-index.ts.
      this.#wholesLength = addUtf8(this.#wholes, this.#wholesLength, 0xe000 + text.charCodeAt(at))
    }
    this.#endWhole()
  }

  #addStems(text: string, prefix: Uint8Array, language: Language): void {
    for (const stem of stemsOf(analyseText(text).terms, language, this.#stemmed)) {
      const bytes = Buffer.from(indexedTerm('', stem))
      this.#startWhole(prefix, bytes.length)
      this.#wholesLength = addBytes(this.#wholes, this.#wholesLength, bytes)
      this.#endWhole()
    }
  }

  #startWhole(prefix: Uint8Array, bytes: number): void {
    const needed = this.#wholesLength + prefix.length + bytes + 32
    if (needed > this.#wholes.length) {
      const larger = Buffer.allocUnsafe(2 * needed)
      larger.set(this.#wholes.subarray(0, this.#wholesLength))
      this.#wholes = larger
    }
    this.#wholes[this.#wholesLength++] = SPACE
    this.#wholesLength = addBytes(this.#wholes, this.#wholesLength, prefix)
  }

  #copyToWhole(start: number, end: number): void {
    this.#buffer.copy(this.#wholes, this.#wholesLength, start, end)
    this.#wholesLength += end - start
  }

  #endWhole(): void {
    this.#wholes[this.#wholesLength++] = SPACE
    this.#wholesLength = addBytes(this.#wholes, this.#wholesLength, this.#border)
  }

  #addWholes(): void {
    this.#length = this.#reserve(this.#wholesLength)
    this.#wholes.copy(this.#buffer, this.#length, 0, this.#wholesLength)
    this.#length += this.#wholesLength
  }

  /** Returns the length of what is in the buffer, which has space for more. */
  #reserve(more: number): number {
    const needed = this.#length + more
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length))
      larger.set(this.#buffer.subarray(0, this.#length))
      this.#buffer = larger
    }
    return this.#length
  }
}

function sizeOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdbff ? 2 : 1
}

function classAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  return unit >= 0xd800 && unit <= 0xdbff
    ? classOf(text.codePointAt(index) ?? 0)
    : classOfUnit(unit)
}

function isWord(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit > 0x7f ? classAt(text, index) === WORD : BYTES[unit] !== 0
}

/** True if the part before `end` is joined with the part after the sign there, as in scan-words.ts. */
function isJoinedAt(text: string, start: number, end: number): boolean {
  const sign = text.charCodeAt(end)
  if (sign !== APOSTROPHE && sign !== HYPHEN && sign !== AMPERSAND && sign !== PERIOD) return false
  const next = end + 1
  if (next >= text.length || !isWord(text, next)) return false
  if (sign !== PERIOD) return true
  return isLetter(text, start, end) && isLetter(text, next, endOfUnit(text, next))
}

function endOfUnit(text: string, start: number): number {
  const end = start + 1
  return end < text.length && isWord(text, end) ? end + 1 : end
}

/** One UTF-16 code unit that is not a digit. */
function isLetter(text: string, start: number, end: number): boolean {
  const code = text.charCodeAt(start)
  return end - start === 1 && !(code >= 0x30 && code <= 0x39) && sizeOf(code) === 1
}

function symbolsAt(text: string, end: number): number {
  let at = end
  for (let code = text.charCodeAt(at); code === PLUS || code === HASH; ) {
    at += 1
    code = at < end + MAX_SYMBOLS ? text.charCodeAt(at) : SPACE
  }
  if (at === end) return 0
  return at < text.length && classAt(text, at) !== SEPARATOR ? 0 : at - end
}

/** Writes a character of a script without spaces together with the next one, and a space. */
function addPair(buffer: Uint8Array, from: number, text: string, index: number): number {
  const code = text.codePointAt(index) ?? 0
  let at = addUtf8(buffer, from, code)
  const next = index + (code > 0xffff ? 2 : 1)
  if (next < text.length && classAt(text, next) === DENSE) {
    at = addUtf8(buffer, at, text.codePointAt(next) ?? 0)
  }
  buffer[at] = SPACE
  return at + 1
}

/** Writes a code point beyond ASCII, and returns the position after it. */
function addUtf8(buffer: Uint8Array, at: number, code: number): number {
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

function addBytes(buffer: Uint8Array, from: number, bytes: Uint8Array): number {
  let at = from
  for (let byte = 0; byte < bytes.length; byte += 1) buffer[at++] = bytes[byte] as number
  return at
}
