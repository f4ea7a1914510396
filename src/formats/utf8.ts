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

export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
