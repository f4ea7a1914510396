import { describe, expect, it } from 'vitest'
import { Connection, type ServiceRequest } from '../../client/connection.ts'
import { Walk } from './walk.ts'

interface RefusedPage {
  readonly status: number
  readonly errorName: string
  readonly parameters?: object
}

/** A service with pages of two objects each; the path is the number of objects before the page. */
function connect(
  total: number,
  errorAt: (path: string) => RefusedPage | undefined = () => undefined,
): Connection {
  return new Connection({
    baseUrl: 'http://service.test',
    retries: 0,
    fetch: async (url) => {
      const path = new URL(String(url)).pathname.slice(1)
      const error = errorAt(path)
      if (error !== undefined) return Response.json(error, { status: error.status })
      const from = Number.parseInt(path, 10)
      const to = Math.min(total, from + 2)
      const data = Array.from({ length: to - from }, (_, n) => ({ __primaryKey: from + n }))
      return Response.json({
        data,
        totalCount: String(total),
        ...(to < total && { nextPageToken: String(to) }),
      })
    },
  })
}

const requestOf = (pageToken = '0'): ServiceRequest => ({ path: `/${pageToken}` })

describe('a walk', () => {
  it('reads page after page to the end, and finds each row', async () => {
    const walk = new Walk({ connection: connect(5), requestOf })
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
    let fails = false
    const connection = connect(4, () => (fails ? { status: 503, errorName: 'Busy' } : undefined))
    const walk = new Walk({ connection, requestOf })
    await walk.loadNext()
    fails = true
    await walk.loadNext()
    expect(walk.getState()).toMatchObject({ rowCount: 2, error: { errorName: 'Busy' } })
    fails = false
    await walk.loadNext()
    expect(walk.getState()).toMatchObject({ rowCount: 4, error: undefined, isComplete: true })
  })

  it('continues as of now when the token of the next page has expired', async () => {
    const parameters = { reason: 'expired', continueToken: '2/continued' }
    const connection = connect(5, (path) =>
      path === '2' ? { status: 400, errorName: 'InvalidPageToken', parameters } : undefined,
    )
    const walk = new Walk({ connection, requestOf })
    await walk.loadNext()
    await walk.loadNext()
    expect(walk.getState()).toMatchObject({ rowCount: 2, error: { errorName: 'InvalidPageToken' } })
    expect([walk.lastKey(), walk.canContinue()]).toEqual(['1', true])
    await walk.continueAsOfNow()
    await walk.loadNext()
    expect(walk.getState()).toMatchObject({ rowCount: 5, isComplete: true, continuedAt: 2 })
    expect([0, 1, 2, 3, 4].map((row) => walk.record(row)?.key)).toEqual([0, 1, 2, 3, 4])
  })
})
