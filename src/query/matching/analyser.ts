/**
 * The analyser: the terms of stored texts, and of the texts of queries. Both are folded, and split
 * into parts: `file.txt` has the parts `file` and `txt`. Each part is a term and takes one position,
 * which phrases and intervals count.
 *
 * - A word of several parts is found by each part, and as a whole by its parts next to each other.
 * - `e-mail`, `O'Brien`, `U.S.` and `AT&T` are also indexed as `email`, `obrien`, `us` and `att`,
 *   and `C++` as `c++`. These terms have no position.
 * - Scripts without spaces have a term for each character: together with the next character, if
 *   there is one. A query of several characters is found as neighbouring pairs, a single character
 *   as the beginning of a pair.
 */
import { foldText } from './fold-text.ts'
import {
  isJoined,
  MAX_JOINED_PARTS,
  type Part,
  pairsOf,
  partsOf,
  symbolsAfter,
} from './scan-words.ts'

export interface AnalysedText {
  /** One term for each position. */
  readonly terms: readonly string[]
  /** The terms without a position. */
  readonly wholes: readonly string[]
}

/** Returns the terms of a stored text. */
export function analyseText(text: string): AnalysedText {
  const folded = foldText(text)
  if (ASCII.test(folded))
    return { terms: folded.match(ASCII_PARTS) ?? [], wholes: asciiWholes(folded) }
  const parts = partsOf(folded)
  return {
    terms: parts.flatMap(({ text: part, isDense }) => (isDense ? pairsOf(part) : [part])),
    wholes: joinedRuns(folded, parts).flatMap((run) => wholesOf(folded, run)),
  }
}

const ASCII = /^[\0-\x7f]*$/
const ASCII_PARTS = /[a-z0-9]+/g
const HAS_WHOLE = /[a-z0-9](?:['&\-.][a-z0-9]|[+#])/

/** Few words have several parts, so the others are not looked at. */
function asciiWholes(folded: string): string[] {
  if (!HAS_WHOLE.test(folded)) return []
  return folded
    .split(/\s+/)
    .filter((word) => HAS_WHOLE.test(word))
    .flatMap((word) => joinedRuns(word, partsOf(word)).flatMap((run) => wholesOf(word, run)))
}

/** White space, and signs that stand neither in a joined word nor after a name such as `C++`. */
const BREAK = /[\s!"$%()*,/:;<=>?@[\\\]^_`{|}~\u3001\u3002\ufdfa\ufdfb]/g

/** Returns the first index from `from` on at which a cut splits neither a word nor a pair. */
export function endOfWord(text: string, from: number): number {
  const found = new RegExp(BREAK)
  found.lastIndex = from
  return found.exec(text)?.index ?? text.length
}

/** Groups the parts that are written as one word with joining signs. */
function joinedRuns(text: string, parts: readonly Part[]): Part[][] {
  const runs: Part[][] = []
  for (const part of parts) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run !== undefined && last !== undefined && isJoined(text, last, part)) run.push(part)
    else runs.push([part])
  }
  return runs
}

function wholesOf(text: string, run: readonly Part[]): string[] {
  const last = run.at(-1)
  const symbols = last === undefined ? '' : symbolsAfter(text, last)
  return [
    ...(run.length > 1 && run.length <= MAX_JOINED_PARTS ? [joinedText(run)] : []),
    ...(symbols === '' ? [] : [`${last?.text}${symbols}`]),
  ]
}

function joinedText(run: readonly Part[]): string {
  return run.map(({ text }) => text).join('')
}

/** Terms at neighbouring positions. */
export interface Phrase {
  readonly terms: readonly string[]
  /** Whether the last term may be the beginning of a longer one. */
  readonly isPrefix: boolean
}

/** Returns a phrase that matches the same texts, without a last character that its pair implies. */
export function shortestPhrase(phrase: Phrase): Phrase {
  const { terms, isPrefix } = phrase
  const [pair = '', last = ''] = terms.slice(-2)
  const isImplied = isPrefix && pairsOf(pair)[0] === pair && pairsOf(pair)[1] === last
  return isImplied ? { terms: terms.slice(0, -1), isPrefix: false } : phrase
}

/** A word of a query. */
export interface QueryWord {
  /** A text with the word has all of them. */
  readonly phrases: readonly Phrase[]
  /** The word as one term, which is enough. */
  readonly whole: string | undefined
}

export interface AnalysedQuery {
  readonly words: readonly QueryWord[]
  /** The terms of the whole text. */
  readonly phrase: Phrase
  /** The same terms, of which those of a word are together. */
  readonly runs: readonly Phrase[]
  /** Terms without a position that a text with the phrase has too. */
  readonly symbols: readonly string[]
  /** Whether the last term may be the beginning of a longer one: `C`, but not `C#`. */
  readonly canGoOn: boolean
}

/** Returns the terms of the text of a query. */
export function analyseQuery(text: string): AnalysedQuery {
  const folded = foldText(text)
  const words = writtenWords(folded, partsOf(folded)).map((word) => toQueryWord(folded, word))
  const last = words.at(-1)?.parts.at(-1)
  return {
    words: words.map(({ phrases, whole }) => ({ phrases, whole })),
    phrase: phraseOf(words.flatMap(({ parts }) => parts)),
    runs: words.flatMap(({ parts }) => phraseRuns(folded, parts).map(phraseOf)),
    symbols: words.flatMap(({ symbols }) => symbols),
    canGoOn: last === undefined || symbolsAfter(folded, last) === '',
  }
}

/** Between the parts of one word stand only these; white space and other signs separate words. */
const INSIDE_WORD = /^(?:[-'&]|[.&/\\_@*+#=<>|^%$`]*)$/

function writtenWords(text: string, parts: readonly Part[]): Part[][] {
  const words: Part[][] = []
  for (const part of parts) {
    const last = words.at(-1)?.at(-1)
    if (last !== undefined && INSIDE_WORD.test(text.slice(last.end, part.start))) {
      words.at(-1)?.push(part)
    } else words.push([part])
  }
  return words
}

interface PreparedWord extends QueryWord {
  readonly parts: readonly Part[]
  readonly symbols: readonly string[]
}

function toQueryWord(text: string, parts: readonly Part[]): PreparedWord {
  const withSymbols = (part: Part | undefined) => {
    const symbols = part === undefined ? '' : symbolsAfter(text, part)
    return symbols === '' ? [] : [`${part?.text}${symbols}`]
  }
  const phrases = phraseRuns(text, parts).flatMap((run): Phrase[] => {
    const named = withSymbols(run.at(-1)).map((term) => ({ terms: [term], isPrefix: false }))
    return run.length === 1 && named.length === 1 ? named : [phraseOf(run), ...named]
  })
  const symbols = parts.flatMap(withSymbols)
  const [run, ...others] = joinedRuns(text, parts)
  const isWhole = run !== undefined && others.length === 0 && symbols.length === 0
  const isIndexed = isWhole && run.length > 1 && run.length <= MAX_JOINED_PARTS
  return { parts, phrases, whole: isIndexed ? joinedText(run) : undefined, symbols }
}

/** Hyphens and apostrophes separate terms that may stand anywhere; other signs keep them together. */
function phraseRuns(text: string, parts: readonly Part[]): Part[][] {
  const runs: Part[][] = []
  for (const part of parts) {
    const last = runs.at(-1)?.at(-1)
    const sign = last === undefined ? '' : text.slice(last.end, part.start)
    if (last === undefined || sign === '-' || sign === "'") runs.push([part])
    else runs.at(-1)?.push(part)
  }
  return runs
}

function phraseOf(parts: readonly Part[]): Phrase {
  const terms = parts.flatMap(({ text, isDense }) => (isDense ? pairsOf(text) : [text]))
  // In a script without spaces, the text may go on after the last character.
  return { terms, isPrefix: parts.at(-1)?.isDense === true }
}
