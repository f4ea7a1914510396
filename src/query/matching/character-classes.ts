/** What the characters of a folded text are to the analyser. */
import { onFirstUse } from './on-first-use.ts'

export const SEPARATOR = 0
/** A letter, digit or mark of a script that writes spaces between words. */
const WORD = 1
/** A character of a script without spaces, or an emoji. */
export const DENSE = 2

export type CharacterClass = typeof SEPARATOR | typeof WORD | typeof DENSE

const WORDS = /[\p{L}\p{N}\p{M}]+/gu
/** Korean writes spaces, but attaches particles to words. */
const DENSE_CHARACTERS =
  /[[[\p{L}\p{N}\p{M}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Lana}\p{scx=Tale}\p{scx=Talu}\p{scx=Yiii}]][\p{So}--[\u0080-\u00ff]]]+/gv

const ONE_WORD = new RegExp(`^${WORDS.source}$`, 'u')
const ONE_DENSE = new RegExp(`^${DENSE_CHARACTERS.source}$`, 'v')

/** The classes of UTF-16 code units; surrogates have none. */
const classesOfUnits = onFirstUse(() => {
  const units = Uint16Array.from({ length: 0x10000 }, (_, code) => code)
  const text = Buffer.from(units.fill(0, 0xd800, 0xe000).buffer).toString('utf16le')
  const classes = new Uint8Array(units.length)
  for (const { 0: run, index } of text.matchAll(WORDS)) {
    classes.fill(WORD, index, index + run.length)
  }
  for (const { 0: run, index } of text.matchAll(DENSE_CHARACTERS)) {
    classes.fill(DENSE, index, index + run.length)
  }
  return classes
})

/** Returns the class of a UTF-16 code unit that is not a surrogate. */
function classOfUnit(code: number): CharacterClass {
  return classesOfUnits()[code] as CharacterClass
}

/** Returns the class of any code point. */
export function classOf(code: number): CharacterClass {
  if (code < 0x10000) return classOfUnit(code)
  const sign = String.fromCodePoint(code)
  if (ONE_DENSE.test(sign)) return DENSE
  return ONE_WORD.test(sign) ? WORD : SEPARATOR
}
