import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import { Service } from '../api/service.ts'
import { EMPTY_VIEW } from '../view/view-state.ts'
import { Changes, MOST_CHANGED } from './changes.ts'

const objectType: ObjectTypeDefinition = {
  apiName: 'city',
  rid: 'r',
  primaryKey: 'id',
  properties: { id: { type: 'integer' } },
}
const of = {
  ontology: { apiName: 'o', rid: 'o', objectTypes: [objectType] },
  objectType,
  view: EMPTY_VIEW,
}

type Body = Readonly<Record<string, unknown>>

const put = (id: number) => ({ put: { __primaryKey: id, __apiName: 'city' } })
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => put(from + index))

/** A service that gives these answers, and then none. */
function answer(...answers: readonly (Body | Error | number)[]) {
  const asked: Body[] = []
  const service = new Service({
    baseUrl: 'http://service.test',
    retries: 0,
    fetch: (_, init) => {
      asked.push(JSON.parse(String(init?.body)))
      const next = answers[asked.length - 1]
      if (next instanceof Error) return Promise.reject(next)
      if (typeof next === 'number') {
        const body = { errorName: 'Refused', errorDescription: 'Not for you.' }
        return Promise.resolve(Response.json(body, { status: next }))
      }
      if (next !== undefined) return Promise.resolve(Response.json(next))
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    },
  })
  return { service, asked, sinceOf: () => asked.map(({ since }) => since) }
}

/** Follows for some seconds, and looks away. */
async function follow(changes: Changes, seconds: number): Promise<void> {
  const looking = new AbortController()
  const end = changes.follow(looking.signal)
  await vi.advanceTimersByTimeAsync(1000 * seconds)
  looking.abort()
  await end
}

describe('changes since a view was read', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('are those after the version that was read, each object once', async () => {
    const { service, asked } = answer(
      { data: [put(1), put(2)], nextChangesToken: 't1' },
      { data: [{ delete: { primaryKey: 1 } }], nextChangesToken: 't2' },
    )
    const changes = new Changes({ service, of, version: 7 })
    await follow(changes, 3)
    expect(asked.map(({ since, wait }) => [since, wait])).toEqual([
      ['7', 30],
      ['t1', 30],
      ['t2', 30],
    ])
    const { changed } = changes.getState()
    expect([...changed.values()].map(({ key, isGone }) => [key, isGone])).toEqual([
      ['2', false],
      ['1', true],
    ])
  })

  it('are followed from the first token on if the version is unknown', async () => {
    const { service, asked } = answer({ data: [], nextChangesToken: 't1' })
    await follow(new Changes({ service, of, version: undefined }), 2)
    expect(asked.map(({ since, wait }) => [since, wait])).toEqual([
      ['now', 0],
      ['t1', 30],
    ])
  })

  it('are asked for once a second at most, and not at all while nobody looks', async () => {
    const many = Array.from({ length: 100 }, () => ({ data: [put(1)], nextChangesToken: 't' }))
    const { service, asked } = answer(...many)
    const changes = new Changes({ service, of, version: 7 })
    await follow(changes, 9.5)
    expect(asked).toHaveLength(10)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked).toHaveLength(10)
    await follow(changes, 0.5)
    expect(asked).toHaveLength(11)
  })

  it('are not followed beyond what anybody reads', async () => {
    const { service, asked } = answer(
      { data: range(0, MOST_CHANGED - 1), nextPageToken: 'p' },
      { data: range(0, MOST_CHANGED), nextPageToken: 'q' },
    )
    const changes = new Changes({ service, of, version: 7 })
    await follow(changes, 100)
    expect(asked.map(({ pageToken }) => pageToken)).toEqual([undefined, 'p'])
    expect(changes.getState().changed.size).toBe(MOST_CHANGED)
    expect(changes.hasEnded).toBe(true)
    await follow(changes, 100)
    expect(asked).toHaveLength(2)
  })

  it('are asked for less and less often while the service is gone, and nothing is missed', async () => {
    const gone = new TypeError('fetch failed')
    const { service, sinceOf } = answer(gone, 503, gone, { data: [put(1)], nextChangesToken: 't1' })
    const changes = new Changes({ service, of, version: 7 })
    const looking = new AbortController()
    const end = changes.follow(looking.signal)
    for (const [seconds, requests] of [
      [1, 1],
      [2, 2],
      [4, 3],
      [7.5, 4],
      [1, 5],
    ] as const) {
      await vi.advanceTimersByTimeAsync(1000 * seconds)
      expect([seconds, sinceOf().length]).toEqual([seconds, requests])
      expect(changes.getState().isLive).toBe(requests > 4)
    }
    expect(sinceOf()).toEqual(['7', '7', '7', '7', 't1'])
    looking.abort()
    await end
  })

  it('end with an error that no attempt can change', async () => {
    const { service, asked } = answer({ data: [put(1)], nextChangesToken: 't1' }, 403)
    const changes = new Changes({ service, of, version: 7 })
    await follow(changes, 100)
    expect(asked).toHaveLength(2)
    expect(changes.getState().error?.message).toContain('Not for you.')
    expect(changes.getState().changed.size).toBe(1)
  })
})
