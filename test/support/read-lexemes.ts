/** Reads a tsvector in binary form: the positions of each lexeme. */
export function readLexemes(bytes: Uint8Array): Map<string, number[]> {
  const buffer = Buffer.from(bytes)
  const lexemes = new Map<string, number[]>()
  let at = 4
  for (let left = buffer.readInt32BE(0); left > 0; left -= 1) {
    const end = buffer.indexOf(0, at)
    const lexeme = buffer.toString('utf8', at, end)
    // PostgreSQL would keep both.
    if (lexemes.has(lexeme)) throw new Error(`${lexeme} occurs twice`)
    const count = buffer.readInt16BE(end + 1)
    at = end + 3
    const positions = Array.from({ length: count }, (_, n) => buffer.readInt16BE(at + 2 * n))
    lexemes.set(lexeme, positions)
    at += 2 * count
  }
  if (at !== buffer.length) throw new Error(`${buffer.length - at} bytes follow the lexemes`)
  return lexemes
}
