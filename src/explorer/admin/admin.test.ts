import { describe, expect, it } from 'vitest'
import { bodyOf, EMPTY_DRAFT, mistakeOf } from './credential-draft.ts'
import { describeDuration, describeTime, fullTime, loadBetween } from './describe-time.ts'

describe('times', () => {
  const now = Date.parse('2026-03-10T12:00:00Z')

  it.each([
    ['2026-03-10T11:59:30Z', 'just now'],
    ['2026-03-10T12:00:30Z', 'in less than a minute'],
    ['2026-03-10T11:58:40Z', '1 minute ago'],
    ['2026-03-10T14:59:00Z', 'in 3 hours'],
    ['2026-03-07T11:00:00Z', '3 days ago'],
    ['2026-06-08T12:00:00Z', 'in 3 months'],
    ['2024-03-10T12:00:00Z', '2 years ago'],
  ])('%s is %s', (time, text) => expect(describeTime(time, now)).toBe(text))

  it.each([
    [9, '9 s'],
    [61, '1 min 1 s'],
    [7_260, '2 h 1 min'],
    [180_000, '2 d 2 h'],
  ])('%i seconds are %s', (seconds, text) => expect(describeDuration(seconds)).toBe(text))

  it('are shown in full in UTC', () => {
    expect(fullTime('2026-03-10T12:00:00.123Z')).toBe('2026-03-10 12:00:00 UTC')
  })
})

describe('the load of the main thread', () => {
  const at = (startedAt: string, busyMs: number, idleMs: number) => ({
    startedAt,
    process: { residentBytes: 0, heapBytes: 0, busyMs, idleMs },
  })

  it('is the busy share of the time between two answers', () => {
    expect(loadBetween(at('a', 100, 900), at('a', 600, 2400))).toBe(0.25)
  })

  it('is unknown between two processes, and without time between the answers', () => {
    expect(loadBetween(at('a', 100, 900), at('b', 600, 2400))).toBeUndefined()
    expect(loadBetween(at('a', 100, 900), at('a', 100, 900))).toBeUndefined()
  })
})

describe('a new token or client', () => {
  const draft = { ...EMPTY_DRAFT, name: ' reports ' }

  it('reads everywhere for 90 days unless the person chooses otherwise', () => {
    expect(mistakeOf(draft, false)).toBeUndefined()
    expect(bodyOf(draft, false)).toEqual({
      name: 'reports',
      scopes: ['api:ontologies-read'],
      days: 90,
    })
  })

  it('leaves out a limit and an expiry that it does not have', () => {
    const never = { ...draft, days: undefined, ontologies: ['shop'] }
    expect(bodyOf(never, true)).toEqual({
      name: 'reports',
      scopes: ['api:ontologies-read'],
      ontologies: ['shop'],
      public: false,
      redirectUris: [],
    })
  })

  it('takes one redirect address a line', () => {
    const redirectUris = ' https://a.example/back \n\n http://localhost:3000/ '
    expect(bodyOf({ ...draft, redirectUris }, true)).toMatchObject({
      redirectUris: ['https://a.example/back', 'http://localhost:3000/'],
    })
  })

  it.each([
    [{ name: ' ' }, /name/],
    [{ scopes: [] }, /scope/],
    [{ ontologies: [] }, /ontology/],
    [{ scopes: ['api:admin'], ontologies: ['shop'] }, /every ontology/],
    [{ isPublic: true }, /return to/],
    [{ redirectUris: '/relative' }, /not a URL/],
  ] as const)('%j has a mistake', (part, mistake) => {
    expect(mistakeOf({ ...draft, ...part }, true)).toMatch(mistake)
  })
})
