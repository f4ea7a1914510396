/**
 * Free text: what a reader types into the search. Words must match, the last one as a beginning,
 * because it may be unfinished. `be*` is a beginning, `*in*` a part of a word, `"a b"` a phrase.
 */
export interface SearchTerm {
  readonly kind: 'words' | 'prefix' | 'inside' | 'phrase'
  readonly text: string
}

export function termsOf(text: string): readonly SearchTerm[] {
  const parts = [...text.matchAll(/"([^"]*)("|$)|\S+/g)]
  const terms = parts.map(([written, phrase, end], index): SearchTerm => {
    const isLast = index === parts.length - 1
    if (phrase !== undefined) return { kind: end === '"' ? 'phrase' : 'prefix', text: phrase }
    const bare = written.replaceAll(/^\*|\*$/g, '')
    if (written.startsWith('*') && bare !== '') return { kind: 'inside', text: bare }
    if (written.endsWith('*') && bare !== '') return { kind: 'prefix', text: bare }
    return { kind: isLast ? 'prefix' : 'words', text: written }
  })
  return terms.filter((term) => term.text.trim() !== '').reduce(joinWords, [])
}

/** Whole words make one condition. */
function joinWords(terms: readonly SearchTerm[], term: SearchTerm): readonly SearchTerm[] {
  const last = terms.at(-1)
  if (term.kind !== 'words' || last?.kind !== 'words') return [...terms, term]
  return [...terms.slice(0, -1), { kind: 'words', text: `${last.text} ${term.text}` }]
}

/** Returns other texts that find more, with what they do. */
export function widerTexts(
  text: string,
): readonly { readonly text: string; readonly does: string }[] {
  const words = text.split(/[\s"*]+/).filter(Boolean)
  const begun = { text: words.map((word) => `${word}*`).join(' '), does: 'words that start so' }
  const inside = { text: words.map((word) => `*${word}*`).join(' '), does: 'parts of words' }
  const terms = termsOf(text)
  if (words.length === 0 || terms.every(({ kind }) => kind === 'inside')) return []
  return terms.every(({ kind }) => kind === 'prefix') ? [inside] : [begun, inside]
}
