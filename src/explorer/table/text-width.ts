/** Pixels that characters take at most in the font of a cell. */
const NARROW = 8.5
const WIDE = 14
const WIDEST = 18

/** The padding of a cell on both sides. */
const PADDING = 16

/**
 * Returns whether a text certainly fits into a cell. Only a cell whose text may be too long is clipped:
 * each clipped element makes scrolling slower.
 */
export function fitsInto(text: string, width: number): boolean {
  const room = width - PADDING
  if (text.length * NARROW > room) return false
  let needed = 0
  for (const character of text) {
    needed += /[a-ln-vx-z0-9 .,:;/()'+-]/.test(character)
      ? NARROW
      : character < '\u2000'
        ? WIDE
        : WIDEST
  }
  return needed <= room
}
