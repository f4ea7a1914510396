import type { Page } from './service-client.ts'

export interface WalkOptions {
  /** The page to start with; the first page if undefined. */
  readonly pageToken?: string | undefined
  readonly maxPages?: number | undefined
}

/** Yields page after page by following page tokens. */
export async function* walkPages(
  readPage: (pageToken: string | undefined) => Promise<Page>,
  { pageToken, maxPages = Number.POSITIVE_INFINITY }: WalkOptions = {},
): AsyncGenerator<Page> {
  let token = pageToken
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await readPage(token)
    yield page
    token = page.nextPageToken ?? undefined
    if (token === undefined) return
  }
}
