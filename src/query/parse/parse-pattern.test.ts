import { describe, expect, it } from 'vitest'
import {
  endOfPrefix,
  isPrefixPattern,
  literalPrefix,
  textsBetweenWildcards,
  wildcardTest,
} from '../matching/pattern.ts'
import { parseRegex, parseWildcard } from './parse-pattern.ts'

const refusal = (part: string) => expect.objectContaining({ reason: expect.stringContaining(part) })

describe('a regular expression', () => {
  it.each([
    ['a(?=b)', '(?='],
    ['(?i)a', '(?i'],
    ['(?:a)', '(?:'],
    ['(a)\\1', '\\1'],
    ['\\bfox\\b', '\\b'],
    ['\\p{L}', '\\p'],
    ['^fox', 'anchor ^'],
    ['fox$', 'anchor $'],
    ['a*?', '? after a repetition'],
    ['a++', '+ after a repetition'],
    ['*a', '* with nothing to repeat'],
    ['(|+a)', '+ with nothing to repeat'],
    ['a{,3}', '{,3 that is not a repetition'],
    ['a{b}', '{b that is not a repetition'],
    ['a{', '{ that is not a repetition'],
    ['a{3,2}', '{3,2}, whose end is before its start'],
    ['a{256}', 'repeats more than 255 times'],
    ['a{0,999}', 'repeats more than 255 times'],
    ['(a{200}){200}', 'more than 1000 characters'],
    ['(', '( without a )'],
    ['a)', ') without a ('],
    ['[', '[ without a ]'],
    ['[]', 'empty []'],
    ['[z-a]', 'range z-a'],
    ['[a--]', 'range a--'],
    ['[a-\\d]', 'range that ends with a class'],
    ['[[:alpha:]]', '[:'],
    ['[^\\s\\S]', 'excludes every character'],
    ['"abc', '" without a second one'],
    ['a\\', 'ends with \\'],
    [`${'('.repeat(21)}a${')'.repeat(21)}`, 'nests groups more than 20 deep'],
    ['a'.repeat(1001), 'longer than 1000 characters'],
    ['\0', 'U+0000'],
    ['\ud800', 'unpaired surrogate'],
  ])('%j is refused', (written, part) => {
    expect(() => parseRegex(written)).toThrow(refusal(part))
  })

  const literal = (text: string) => ({ kind: 'literal', text })
  const characters = (...ranges: readonly (readonly [string, string])[]) => ({
    kind: 'characters',
    ranges: ranges.map((range) => range.map((end) => end.codePointAt(0))),
  })
  const repeat = (of: object, min: number, max?: number) => ({ kind: 'repeat', of, min, max })
  const sequence = (...of: object[]) => ({ kind: 'sequence', of })
  const choice = (...of: object[]) => ({ kind: 'choice', of })
  const [a, b] = [literal('a'), literal('b')]

  it.each([
    ['', sequence()],
    ['abc', literal('abc')],
    ['""', sequence()],
    ['a""b', literal('ab')],
    ['a]}-', literal('a]}-')],
    ['\\\\\\.\\-', literal('\\.-')],
    ['a|b', choice(a, b)],
    ['a|', choice(a, sequence())],
    ['(a|b)c', sequence(choice(a, b), literal('c'))],
    ['((a))(b)', literal('ab')],
    ['.', characters(['\u0001', '\ud7ff'], ['\ue000', '\u{10ffff}'])],
    ['\\d', characters(['0', '9'])],
    ['a*', repeat(a, 0)],
    ['a+', repeat(a, 1)],
    ['a?', repeat(a, 0, 1)],
    ['a{2}', repeat(a, 2, 2)],
    ['a{2,}', repeat(a, 2)],
    ['a{2,2}', repeat(a, 2, 2)],
    ['a{0,255}', repeat(a, 0, 255)],
    ['a{255,}', repeat(a, 255)],
    ['ab*c', sequence(a, repeat(b, 0), literal('c'))],
    ['a{2}b{3}', sequence(repeat(a, 2, 2), repeat(b, 3, 3))],
    ['[a]', characters(['a', 'a'])],
    ['[a-c]', characters(['a', 'c'])],
    ['[a-a]', characters(['a', 'a'])],
    ['[-a]', characters(['-', '-'], ['a', 'a'])],
    ['[a-]', characters(['-', '-'], ['a', 'a'])],
    ['[--a]', characters(['-', '-'], ['a', 'a'])],
    ['[a\\-z]', characters(['-', '-'], ['a', 'a'], ['z', 'z'])],
    ['[\\d-]', characters(['-', '-'], ['0', '9'])],
    ['[[a]', characters(['[', '['], ['a', 'a'])],
    ['[a[]', characters(['[', '['], ['a', 'a'])],
    [
      '[.*^$|(]',
      characters(['$', '$'], ['(', '('], ['*', '*'], ['.', '.'], ['^', '^'], ['|', '|']),
    ],
    ['[^b-\u{10ffff}]', characters(['\u0001', 'a'])],
    ['[a\\]b]', characters([']', ']'], ['a', 'b'])],
  ])('%j is parsed', (written, pattern) => {
    expect(parseRegex(written)).toEqual(pattern)
  })

  it('has groups that are 20 deep, any number of them side by side', () => {
    const group = `${'('.repeat(20)}a${')'.repeat(20)}`
    expect(parseRegex(group.repeat(3))).toEqual(literal('aaa'))
  })

  it('has a thousand characters at most, as written and with its repetitions', () => {
    expect(parseRegex('a'.repeat(1000))).toEqual(literal('a'.repeat(1000)))
    expect(parseRegex('(a{250}){4}')).toMatchObject({ kind: 'repeat' })
    expect(() => parseRegex('(a{250}){4}a')).toThrow(
      refusal('has more than 1000 characters after its repetitions are written out'),
    )
  })

  it('has one form for equal spellings', () => {
    expect(parseRegex('"a."b')).toEqual(parseRegex('a\\.b'))
    expect(parseRegex('[cab]')).toEqual(parseRegex('[a-c]'))
    expect(parseRegex('a{1,}')).toEqual(parseRegex('a+'))
  })
})

describe('a wildcard', () => {
  it.each([
    ['fox\\', 'ends with \\'],
    ['*'.repeat(1001), 'longer than 1000 characters'],
  ])('%j is refused', (written, part) => {
    expect(() => parseWildcard(written)).toThrow(refusal(part))
  })

  it('treats all other characters as themselves', () => {
    expect(parseWildcard('a.(b)\\*\\x')).toEqual({ kind: 'literal', text: 'a.(b)*x' })
  })
})

describe('the literal prefix', () => {
  it.each([
    ['abc', 'abc'],
    ['ab.*', 'ab'],
    ['ab*', 'a'],
    ['a(bc)d', 'abcd'],
    ['a(b.)d', 'ab'],
    ['a|b', ''],
    ['(ab)?c', ''],
    ['', ''],
  ])('of %j is %j', (written, prefix) => {
    expect(literalPrefix(parseRegex(written))).toBe(prefix)
  })

  it.each([
    ['ab', 'ac'],
    ['a\ud7ff', 'a\ue000'],
    ['a\uffff', 'a\u{10000}'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}', undefined],
    ['', undefined],
  ])('%j ends before %j', (prefix, end) => {
    expect(endOfPrefix(prefix)).toBe(end)
  })
})

describe('the texts between wildcards', () => {
  it.each([
    ['abc', ['abc']],
    ['a*', ['a', '']],
    ['*', ['', '']],
    ['a*b*c', ['a', 'b', 'c']],
    ['a\\*b*', ['a*b', '']],
    ['a?', undefined],
    ['a?*', undefined],
  ])('of %j are %j', (written, texts) => {
    const pattern = parseWildcard(written)
    expect(textsBetweenWildcards(pattern)).toEqual(texts)
    expect(isPrefixPattern(pattern)).toBe(texts?.length === 2 && texts[1] === '')
  })

  it.each([
    [['abc'], ['abc'], ['ab', 'abcd', '']],
    [
      ['a', ''],
      ['a', 'ab'],
      ['', 'ba'],
    ],
    [
      ['', 'b', ''],
      ['b', 'abc', 'bb'],
      ['', 'ac'],
    ],
    [
      ['ab', 'ba'],
      ['abba', 'abxba'],
      ['aba', 'ab', 'ba'],
    ],
    [
      ['a', 'b', 'b'],
      ['abb', 'axbxb'],
      ['ab', 'abx', 'bab'],
    ],
  ])('%j match %j and not %j', (texts, matching, others) => {
    const test = wildcardTest(texts)
    expect(matching.filter((text) => !test(text))).toEqual([])
    expect(others.filter(test)).toEqual([])
  })
})
