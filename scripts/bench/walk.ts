import { type Call, readBody, type Target } from './http-client.ts'
import { FAMILY, OBJECT_TYPE, ONTOLOGY } from './objects.ts'

/** Walks through pages by their tokens, once, to know the tokens of the pages to measure. */

export const PAGE_SIZES = [100, 1000] as const
export type PageSize = (typeof PAGE_SIZES)[number]

/** The requests of one walk: a token in, the request of its page out. */
export type Pages = (pageToken: string | undefined) => Call

/** The tokens that are kept of a walk. */
export interface Marks {
  readonly second: string
  readonly deep: string
}

const DEEPEST = 1000

/** Page 1,000, or the last one that is full and has another page after it. */
export function deepPage(objects: number, pageSize: number): number {
  return Math.min(DEEPEST, Math.ceil(objects / pageSize) - 1)
}

export function listPages(pageSize: number, mode: 'default' | 'snapshot'): Pages {
  return (pageToken) => {
    const query = new URLSearchParams({ pageSize: String(pageSize) })
    if (mode === 'snapshot') query.set('snapshot', 'true')
    if (pageToken !== undefined) query.set('pageToken', pageToken)
    return { method: 'GET', path: `/api/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}?${query}` }
  }
}

export function searchPages(pageSize: number): Pages {
  return (pageToken) => ({
    method: 'POST',
    path: `/api/${FAMILY}/v1/objects/types/${OBJECT_TYPE}/search`,
    body: JSON.stringify({ query: { type: 'empty' }, pageSize, pageToken }),
  })
}

export async function markWalk(service: Target, pages: Pages, deep: number): Promise<Marks> {
  const second = readToken(await readBody(service, pages(undefined)))
  let token = second
  for (let page = 2; page < deep; page++) token = readToken(await readBody(service, pages(token)))
  return { second, deep: token }
}

/** More than the token and what follows it in the envelope. */
const TAIL_BYTES = 1200

/** The token stands behind the records: no need to parse them to find it. */
function readToken(page: Buffer): string {
  const tail = page.toString('latin1', Math.max(0, page.length - TAIL_BYTES))
  const token = /"nextPageToken":"([^"]+)"[^\]]*$/.exec(tail)?.[1]
  if (token === undefined) throw new Error('a walk ended before the page that is to be measured')
  return token
}
