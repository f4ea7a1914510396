import type { Page } from './service-client.ts'

/** Follows page tokens from page to page; the rest of the request stays the same. */

export interface Walk {
  /** Where to start; at the beginning when left out. */
  readonly pageToken?: string | undefined
  readonly maxPages?: number | undefined
}

export async function* walkPages(
  readPage: (pageToken: string | undefined) => Promise<Page>,
  { pageToken, maxPages = Number.POSITIVE_INFINITY }: Walk = {},
): AsyncGenerator<Page> {
  let token = pageToken
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await readPage(token)
    yield page
    token = page.nextPageToken ?? undefined
    if (token === undefined) return
  }
}
