/** Walks over pages as a client does, in either revision, and checks the envelope of every page. */
import { expect } from 'vitest'
import type { Revision } from '../../src/contract/revisions.ts'
import type { Service, TestResponse } from './service.ts'

export interface Walk {
  readonly revision: Revision
  readonly ontology: string
  /** The family, for revision 2.0. */
  readonly family?: string
  readonly objectType: string
  readonly pageSize?: number | (() => number)
  readonly snapshot?: boolean
  readonly token?: string
  /** Runs between two pages. */
  readonly between?: (page: Page) => Promise<void> | void
}

export interface Page {
  // biome-ignore lint/suspicious/noExplicitAny: records are what tests look into
  readonly data: readonly any[]
  readonly nextPageToken?: string
  readonly totalCount?: string
}

export function requestPage(
  service: Service,
  walk: Walk,
  pageToken?: string,
): Promise<TestResponse> {
  const pageSize = typeof walk.pageSize === 'function' ? walk.pageSize() : walk.pageSize
  const as = walk.token === undefined ? {} : { token: walk.token }
  if (walk.revision === '2.0') {
    const path = `/api/${walk.family ?? 'family'}/v1/objects/types/${walk.objectType}/search`
    return service.send(path, { ...as, json: { query: { type: 'empty' }, pageSize, pageToken } })
  }
  const query = new URLSearchParams()
  if (pageSize !== undefined) query.set('pageSize', String(pageSize))
  if (pageToken !== undefined) query.set('pageToken', pageToken)
  if (walk.snapshot !== undefined) query.set('snapshot', String(walk.snapshot))
  return service.send(`/api/v1/ontologies/${walk.ontology}/objects/${walk.objectType}?${query}`, as)
}

/** Returns all pages of a walk, which must not fail. */
export async function walkPages(service: Service, walk: Walk): Promise<Page[]> {
  const { pages, error } = await walkUntilError(service, walk)
  expect(error).toBeUndefined()
  return pages
}

/** Returns the pages of a walk, and the error response that ended it, if any. */
export async function walkUntilError(
  service: Service,
  walk: Walk,
): Promise<{ pages: Page[]; error: TestResponse | undefined }> {
  const pages: Page[] = []
  const seen = new Set<string>()
  let pageToken: string | undefined
  do {
    const response = await requestPage(service, walk, pageToken)
    if (response.status !== 200) return { pages, error: response }
    checkEnvelope(response, walk)
    const page = response.body as Page
    pages.push(page)
    pageToken = page.nextPageToken
    if (pageToken !== undefined) {
      expect(seen.has(pageToken), 'a page token is repeated').toBe(false)
      seen.add(pageToken)
      await walk.between?.(page)
    }
  } while (pageToken !== undefined)
  return { pages, error: undefined }
}

function checkEnvelope({ body, headers }: TestResponse, walk: Walk): void {
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(Array.isArray(body.data)).toBe(true)
  if ('nextPageToken' in body) {
    expect(body.nextPageToken).toMatch(/^v1\.[A-Za-z0-9_-]+$/)
    expect(body.nextPageToken.length).toBeLessThanOrEqual(1024)
    expect(body.data.length, 'an empty page has a token').toBeGreaterThan(0)
  }
  const names =
    walk.revision === '1.0'
      ? ['data', 'nextPageToken', 'nextChangesToken', 'totalCount']
      : ['data', 'nextPageToken']
  expect(Object.keys(body).filter((name) => !names.includes(name))).toEqual([])
  if (walk.revision === '1.0') expect(body.totalCount).toMatch(/^\d+$/)
  for (const record of body.data) checkRecord(record, walk)
}

function checkRecord(record: Record<string, unknown>, { revision, objectType }: Walk): void {
  if (typeof record['properties'] !== 'object') throw new Error('a record without properties')
  if (revision === '1.0') {
    if (!/^ri\.phonograph2-objects\.main\.object\.[0-9a-f-]{36}$/.test(String(record['rid']))) {
      throw new Error(`not a rid: ${record['rid']}`)
    }
  } else if (typeof record['primaryKey'] !== 'string' || record['objectType'] !== objectType) {
    throw new Error(`not a record of revision 2.0: ${JSON.stringify(record)}`)
  }
}

/** Returns the values of one property over all pages, in order. */
export function valuesOf(pages: readonly Page[], property: string): unknown[] {
  return pages.flatMap((page) => page.data.map((record) => record.properties[property]))
}
