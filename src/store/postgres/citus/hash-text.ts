/** The hash of a text by which Citus chooses its shard: `hashtext` of PostgreSQL, by Bob Jenkins. */

const START = 0x9e3779b9 + 3923095

/** Returns a signed number of 32 bits. */
export function hashText(text: string): number {
  const bytes = Buffer.from(text)
  let a = (START + bytes.length) | 0
  let [b, c] = [a, a]
  let at = 0
  for (; bytes.length - at >= 12; at += 12) {
    a = (a + bytes.readInt32LE(at)) | 0
    b = (b + bytes.readInt32LE(at + 4)) | 0
    c = (c + bytes.readInt32LE(at + 8)) | 0
    a = ((a - c) ^ rotated(c, 4)) | 0
    c = (c + b) | 0
    b = ((b - a) ^ rotated(a, 6)) | 0
    a = (a + c) | 0
    c = ((c - b) ^ rotated(b, 8)) | 0
    b = (b + a) | 0
    a = ((a - c) ^ rotated(c, 16)) | 0
    c = (c + b) | 0
    b = ((b - a) ^ rotated(a, 19)) | 0
    a = (a + c) | 0
    c = ((c - b) ^ rotated(b, 4)) | 0
    b = (b + a) | 0
  }
  const rest = bytes.subarray(at)
  // The lowest byte of the third word holds the length.
  a = (a + wordOf(rest, 0)) | 0
  b = (b + wordOf(rest, 4)) | 0
  c = (c + (wordOf(rest, 8) << 8)) | 0
  c = ((c ^ b) - rotated(b, 14)) | 0
  a = ((a ^ c) - rotated(c, 11)) | 0
  b = ((b ^ a) - rotated(a, 25)) | 0
  c = ((c ^ b) - rotated(b, 16)) | 0
  a = ((a ^ c) - rotated(c, 4)) | 0
  b = ((b ^ a) - rotated(a, 14)) | 0
  return ((c ^ b) - rotated(b, 24)) | 0
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

/** Returns up to four bytes as a number; those that are missing are 0. */
function wordOf(bytes: Buffer, at: number): number {
  let word = 0
  for (let byte = 0; byte < 4; byte++) word |= (bytes[at + byte] ?? 0) << (8 * byte)
  return word
}
