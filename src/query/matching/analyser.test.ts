import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { analyseQuery, analyseText, endOfWord, shortestPhrase } from './analyser.ts'
import { foldText } from './fold-text.ts'

describe('a stored text', () => {
  it.each([
    ['This is the end.', ['this', 'is', 'the', 'end'], []],
    ['3.14', ['3', '14'], []],
    ['file.txt', ['file', 'txt'], []],
    ['U.S.', ['u', 's'], ['us']],
    ['O’Brien', ['o', 'brien'], ['obrien']],
    ['e-mail, AT&T', ['e', 'mail', 'at', 't'], ['email', 'att']],
    ['C++ and C#, a+b', ['c', 'and', 'c', 'a', 'b'], ['c++', 'c#']],
    ['state-of-the-art-design', ['state', 'of', 'the', 'art', 'design'], []],
    ['https://example.com/a_b', ['https', 'example', 'com', 'a', 'b'], []],
    ['Straße ŁÓDŹ Ærø', ['strasse', 'lodz', 'aero'], []],
    ['ΟΔΟΣ οδός', ['οδοσ', 'οδοσ'], []],
    ['ﬁｌｅ²', ['file2'], []],
    ['Acme™ co\u00adop', ['acme', 'coop'], []],
    ['東京都 tower', ['東京', '京都', '都', 'tower'], []],
    ['서울', ['서울', '울'], []],
    ['ไทย', ['ไท', 'ทย', 'ย'], []],
    ['한국어abc', ['한국', '국어', '어', 'abc'], []],
    ['ハ\u3099', ['バ'], []],
    ['हिन्दी', ['हिन्दी'], []],
    ['قَهْوَة', ['قهوة'], []],
    ['🇯🇵', ['🇯🇵', '🇵'], []],
    ['- @ ?', [], []],
    ['aﷺb', ['a', 'b'], []],
  ])('%s', (text, terms, wholes) => {
    expect(analyseText(text)).toEqual({ terms, wholes })
  })

  it('keeps 30 marks of a letter', () => {
    const signs = (count: number) => `क${'ि'.repeat(count)}`
    expect(foldText(signs(30))).toBe(signs(30))
    expect(foldText(signs(31))).toBe(signs(30))
    // Decomposes into a letter and a mark.
    const decomposed = foldText(`\u0958${'ि'.repeat(30)}`)
    expect(foldText(decomposed)).toBe(decomposed)
    const [many, others] = ['\u0301'.repeat(100_000), '\u0323'.repeat(100_000)]
    expect(foldText(`a${many}${others}`)).toBe('a')
    expect(foldText(`ｶ${'\u0301ﾞ'.repeat(100_000)}`)).toBe(foldText(`ｶ${'ﾞ'.repeat(30)}`))
  })

  it('ends a step before a sign that separates words', () => {
    for (const sign of ' \n,;/:"(_\u3002\ufdfa') expect(endOfWord(`ab${sign}c`, 1)).toBe(2)
    for (const sign of "-'&.+#") expect(endOfWord(`ab${sign}c`, 1)).toBe(4)
  })

  it('has the same terms whatever its case, and after it was folded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text))
        expect(foldText(text.toLowerCase())).toBe(foldText(text))
      }),
      fcOptions(1000),
    )
  })
})

describe('the text of a query', () => {
  const phrase = (...terms: string[]) => ({ terms, isPrefix: false })
  const wordsOf = (text: string) => analyseQuery(text).words

  it.each([
    ['end.', [{ phrases: [phrase('end')], whole: undefined }]],
    ['file.txt', [{ phrases: [phrase('file', 'txt')], whole: undefined }]],
    ['U.S.', [{ phrases: [phrase('u', 's')], whole: 'us' }]],
    ["O'Brien", [{ phrases: [phrase('o'), phrase('brien')], whole: 'obrien' }]],
    ['AT&T', [{ phrases: [phrase('at', 't')], whole: 'att' }]],
    ['C++', [{ phrases: [phrase('c++')], whole: undefined }]],
    ['Visual-C++', [{ phrases: [phrase('visual'), phrase('c++')], whole: undefined }]],
  ])('%s', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  it('finds characters of a script without spaces anywhere in a run', () => {
    const [word] = wordsOf('東京都')
    expect(word?.phrases.map(shortestPhrase)).toEqual([phrase('東京', '京都')])
    expect(wordsOf('東')[0]?.phrases.map(shortestPhrase)).toEqual([
      { terms: ['東'], isPrefix: true },
    ])
    expect(analyseQuery('東京 tower').phrase).toEqual(phrase('東京', '京', 'tower'))
  })

  it('has the same terms in the same order as a stored text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
        expect(analyseQuery(text).phrase.terms).toEqual(analyseText(text).terms)
      }),
      fcOptions(500),
    )
  })
})
