import { describe, expect, it } from 'vitest'
import { ApiError, type ApiRequest, type Send } from '../api/call.ts'
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import { Walk } from './walk.ts'

const objectType: ObjectTypeDefinition = {
  apiName: 'city',
  rid: 'r',
  primaryKey: 'id',
  properties: { id: { type: 'integer' } },
}

/** Pages of two objects each; the token is the number of objects before the page. */
function pagesOf(total: number): Send {
  return async ({ path }) => {
    const from = Number(path)
    const to = Math.min(total, from + 2)
    const data = Array.from({ length: to - from }, (_, n) => ({ properties: { id: from + n } }))
    const body = {
      data,
      totalCount: String(total),
      ...(to < total && { nextPageToken: String(to) }),
    }
    return {
      status: 200,
      bytes: new TextEncoder().encode(JSON.stringify(body)),
      headers: new Headers(),
      durationMs: 1,
      receivedAtMs: 5,
    }
  }
}

const requestOf = (pageToken: string | undefined, after: string | undefined): ApiRequest => ({
  method: 'GET',
  path: pageToken ?? (after === undefined ? '0' : String(Number(after) + 1)),
})

describe('a walk', () => {
  it('reads page after page to the end, and finds each row', async () => {
    const walk = new Walk({ send: pagesOf(5), objectType, requestOf })
    for (let n = 0; n < 4; n += 1) await walk.loadNext()
    const { rowCount, isComplete, totalCount, pages } = walk.getState()
    expect({ rowCount, isComplete, totalCount }).toEqual({
      rowCount: 5,
      isComplete: true,
      totalCount: 5,
    })
    expect(pages.map(({ firstRow, count }) => [firstRow, count])).toEqual([
      [0, 2],
      [2, 2],
      [4, 1],
    ])
    expect([0, 1, 2, 3, 4, 5].map((row) => walk.record(row)?.key)).toEqual([
      0,
      1,
      2,
      3,
      4,
      undefined,
    ])
  })

  it('keeps what it read when a page fails, and continues when asked again', async () => {
    const send = pagesOf(4)
    let fails = false
    const walk = new Walk({
      send: (request) => {
        if (fails) throw new ApiError(503, { errorName: 'Busy' })
        return send(request)
      },
      objectType,
      requestOf,
    })
    await walk.loadNext()
    fails = true
    await walk.loadNext()
    expect(walk.getState()).toMatchObject({ rowCount: 2, error: { errorName: 'Busy' } })
    fails = false
    await walk.loadNext()
    expect(walk.getState()).toMatchObject({ rowCount: 4, error: undefined, isComplete: true })
  })

  it('continues after its last key when the token of the next page has expired', async () => {
    const send = pagesOf(5)
    const walk = new Walk({
      send: (request) => {
        if (request.path === '2' && !isRest) {
          throw new ApiError(400, { errorName: 'InvalidPageToken' })
        }
        return send(request)
      },
      objectType,
      requestOf,
    })
    let isRest = false
    await walk.loadNext()
    await walk.loadNext()
    expect(walk.getState()).toMatchObject({ rowCount: 2, error: { errorName: 'InvalidPageToken' } })
    expect(walk.lastKey()).toBe('1')
    isRest = true
    await walk.continueAfterLast()
    await walk.loadNext()
    expect(walk.getState()).toMatchObject({ rowCount: 5, totalCount: 5, isComplete: true })
    expect([0, 1, 2, 3, 4].map((row) => walk.record(row)?.key)).toEqual([0, 1, 2, 3, 4])
  })
})
