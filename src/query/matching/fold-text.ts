/**
 * Folds a text, so that spellings that people take for the same are the same: case, diacritics and
 * compatibility forms such as full-width letters do not matter.
 */
import { onFirstUse } from './on-first-use.ts'

/**
 * Trademark signs would become letters of the word before them. Two Arabic ligatures would become up
 * to 18 letters each.
 */
const SIGNS = /[©®™℠\ufdfa\ufdfb]/g

/**
 * Diacritics of Latin, Greek, Cyrillic, Hebrew and Arabic, and characters without a width. Vowel
 * signs of other scripts are part of a word, and stay.
 */
const IGNORED = new RegExp(
  `[${[
    '\\u00ad',
    '\\u0300-\\u036f\\u0483-\\u0489\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f',
    '\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7',
    '\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed',
    '\\u180b-\\u180f\\u200c\\u200d\\u2060\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}',
  ].join('')}]`,
  'gu',
)

/**
 * Further marks of a letter are dropped: normalisation sorts them in quadratic time. Half-width
 * voicing signs of Japanese become marks.
 */
const TOO_MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/** Letters that Unicode does not decompose, a second form of sigma, apostrophes and hyphens. */
const REPLACED: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ς: 'σ',
  '‘': "'",
  '’': "'",
  '′': "'",
  ʹ: "'",
  ʻ: "'",
  ʼ: "'",
  ʽ: "'",
  ʾ: "'",
  ʿ: "'",
  '‐': '-',
  '‒': '-',
  '–': '-',
  '−': '-',
}
const TO_REPLACE = new RegExp(`[${Object.keys(REPLACED).join('')}]`, 'g')

const ASCII = /^[\0-\x7f]*$/
/** Letters and signs that are folded one by one: none of them combines with its neighbours. */
const LATIN = /^[\0-\u024f\u2010-\u201f\u2026]*$/
const LATIN_SIGNS = /[\u0080-\u024f\u2010-\u201f\u2026]/g
/** Every thread and process loads this module, and texts in ASCII do not need the table. */
const foldedSigns = onFirstUse<ReadonlyMap<string, string>>(
  () =>
    new Map(
      Array.from({ length: 0x2027 - 0x80 }, (_, index) => String.fromCharCode(0x80 + index))
        .filter((sign) => LATIN.test(sign))
        .map((sign) => [sign, foldAny(sign)]),
    ),
)

/** Folding a folded text changes nothing. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  if (!LATIN.test(text)) return foldAny(text)
  const folded = foldedSigns()
  // Most texts, and several times as fast.
  return text.replaceAll(LATIN_SIGNS, (sign) => folded.get(sign) ?? sign).toLowerCase()
}

function foldAny(text: string): string {
  const decomposed = withFewMarks(text.replaceAll(SIGNS, ' ')).normalize('NFKD')
  return (
    // Decomposition may add marks.
    withFewMarks(decomposed.replaceAll(IGNORED, ''))
      // Upper case has fewer forms of a letter: it replaces ß and the dotless i.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll(TO_REPLACE, (letter) => REPLACED[letter] ?? letter)
      // Composes what is left, such as the syllables of Korean and the voiced letters of Japanese.
      .normalize('NFC')
  )
}

/** Counts no ignored mark, because the lower case of a letter may have one more. */
function withFewMarks(text: string): string {
  if (text.search(TOO_MANY_MARKS) < 0) return text
  return text.replaceAll(IGNORED, '').replaceAll(TOO_MANY_MARKS, '$1')
}
