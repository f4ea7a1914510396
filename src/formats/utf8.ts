/** Strict UTF-8, with what browsers have as well. */

// The byte order mark is a character of the text, which only the start of a file may have.
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes bytes; returns undefined if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return STRICT.decode(bytes)
  } catch {
    return undefined
  }
}

/** Decodes bytes for a message: invalid ones become replacement characters. */
export function showUtf8(bytes: Uint8Array, maxBytes: number): string {
  return LENIENT.decode(bytes.subarray(0, maxBytes))
}

export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Returns the number of bytes of a text; an unpaired surrogate counts as its replacement. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    // A pair has four bytes for its two units.
    if ((code & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      index += 1
    }
  }
  return bytes
}
