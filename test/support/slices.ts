/** Requests slices and reads them as a client does. */
import { expect } from 'vitest'
import type { Service } from './service.ts'

export async function slicesOf(
  service: Service,
  ontology: string,
  objectType: string,
  count: number,
  query = '',
  token?: string,
): Promise<readonly string[]> {
  const path = `/api/v2/ontologies/${ontology}/slices/${objectType}?count=${count}${query}`
  const as = token === undefined ? {} : { token }
  const { status, body } = await service.send(path, { method: 'POST', ...as })
  expect([status, body.errorName]).toEqual([200, undefined])
  return body.pageTokens
}

interface ReadSlice {
  readonly records: readonly Record<string, unknown>[]
  /** The changes token of the last page. */
  readonly changes: string
}

/** Reads a slice to its end. No page but that of an empty type is empty. */
export async function readSlice(
  service: Service,
  ontology: string,
  objectType: string,
  first: string,
  pageSize: number,
  token?: string,
): Promise<ReadSlice> {
  const as = token === undefined ? {} : { token }
  const path = `/api/v2/ontologies/${ontology}/objects/${objectType}?snapshot=true`
  const records: Record<string, unknown>[] = []
  for (let pageToken = first; ; ) {
    const { status, body } = await service.send(
      `${path}&pageSize=${pageSize}&pageToken=${pageToken}`,
      as,
    )
    expect([status, body.errorName]).toEqual([200, undefined])
    records.push(...body.data)
    if (body.totalCount !== '0') expect(body.data).not.toHaveLength(0)
    if (body.nextPageToken === undefined) return { records, changes: body.nextChangesToken }
    expect(body).not.toHaveProperty('nextChangesToken')
    pageToken = body.nextPageToken
  }
}
