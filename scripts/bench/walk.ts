import { type Call, readBody, type Target } from './http-client.ts'
import { FAMILY, OBJECT_TYPE, ONTOLOGY } from './objects.ts'

/** Walks through pages by their tokens, once, to know the tokens of the pages to measure. */

export const PAGE_SIZES = [100, 1000] as const
/** Search has no larger pages. */
export const SEARCH_PAGE_SIZES = [100] as const
export type PageSize = (typeof PAGE_SIZES)[number]

/** The requests of one walk: a token in, the request of its page out. */
export type Pages = (pageToken: string | undefined) => Call

/** The tokens that are kept of a walk. */
export interface DeepMarks {
  readonly pageSize: PageSize
  readonly deepPage: number
  /** The token of page 2. */
  readonly second: string
  /** The token of the deep page. */
  readonly deep: string
}

const DEEPEST = 1000

/** Page 1,000, or the last one that is full and has another page after it. */
function deepestFullPage(objects: number, pageSize: number): number {
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

/** Walks once for each page size. */
export async function markWalks(
  service: Target,
  objects: number,
  pageSizes: readonly PageSize[],
  pagesOf: (pageSize: PageSize) => Pages,
): Promise<readonly DeepMarks[]> {
  const marks: DeepMarks[] = []
  for (const pageSize of pageSizes) {
    const deepPage = deepestFullPage(objects, pageSize)
    marks.push({ pageSize, deepPage, ...(await walkTo(service, pagesOf(pageSize), deepPage)) })
  }
  return marks
}

async function walkTo(
  service: Target,
  pages: Pages,
  deepPage: number,
): Promise<Pick<DeepMarks, 'second' | 'deep'>> {
  const second = readToken(await readBody(service, pages(undefined)))
  let deep = second
  for (let page = 2; page < deepPage; page++) deep = readToken(await readBody(service, pages(deep)))
  return { second, deep }
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
