import { expect } from 'vitest'
import type { Revision } from '../../src/contract/revisions.ts'
import type { Answer, Service } from './service.ts'

/**
 * Walks a listing page by page as a client does, in either revision, and checks the envelope of
 * every page on the way: the rules of the page envelope hold on each page or the walk fails.
 */

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

export function askPage(service: Service, walk: Walk, pageToken?: string): Promise<Answer> {
  const pageSize = typeof walk.pageSize === 'function' ? walk.pageSize() : walk.pageSize
  const as = walk.token === undefined ? {} : { token: walk.token }
  if (walk.revision === '2.0') {
    const path = `/api/${walk.family ?? 'family'}/v1/objects/types/${walk.objectType}/search`
    return service.ask(path, { ...as, json: { query: { type: 'empty' }, pageSize, pageToken } })
  }
  const query = new URLSearchParams()
  if (pageSize !== undefined) query.set('pageSize', String(pageSize))
  if (pageToken !== undefined) query.set('pageToken', pageToken)
  if (walk.snapshot !== undefined) query.set('snapshot', String(walk.snapshot))
  return service.ask(`/api/v1/ontologies/${walk.ontology}/objects/${walk.objectType}?${query}`, as)
}

/** Every page of a walk that ends by itself. */
export async function walkPages(service: Service, walk: Walk): Promise<Page[]> {
  const { pages, error } = await walkUntilError(service, walk)
  expect(error).toBeUndefined()
  return pages
}

/** The pages of a walk, and the error that ended it if one did. */
export async function walkUntilError(
  service: Service,
  walk: Walk,
): Promise<{ pages: Page[]; error: Answer | undefined }> {
  const pages: Page[] = []
  const seen = new Set<string>()
  let pageToken: string | undefined
  do {
    const answer = await askPage(service, walk, pageToken)
    if (answer.status !== 200) return { pages, error: answer }
    checkEnvelope(answer, walk)
    const page = answer.body as Page
    pages.push(page)
    pageToken = page.nextPageToken
    if (pageToken !== undefined) {
      expect(seen.has(pageToken), 'the same token came twice').toBe(false)
      seen.add(pageToken)
      await walk.between?.(page)
    }
  } while (pageToken !== undefined)
  return { pages, error: undefined }
}

function checkEnvelope({ body, headers }: Answer, walk: Walk): void {
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(Array.isArray(body.data)).toBe(true)
  if ('nextPageToken' in body) {
    expect(body.nextPageToken).toMatch(/^v1\.[A-Za-z0-9_-]+$/)
    expect(body.nextPageToken.length).toBeLessThanOrEqual(1024)
    expect(body.data.length, 'an empty page carries a token').toBeGreaterThan(0)
  }
  const names =
    walk.revision === '1.0' ? ['data', 'nextPageToken', 'totalCount'] : ['data', 'nextPageToken']
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

/** The values of one property, over all pages, in the order they came. */
export function valuesOf(pages: readonly Page[], property: string): unknown[] {
  return pages.flatMap((page) => page.data.map((record) => record.properties[property]))
}
