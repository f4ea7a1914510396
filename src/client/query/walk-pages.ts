/** Walks over pages by following page tokens. */
import { clientError } from '../oqs-error.ts'

/** The members of a page that a walk uses. */
export interface TokenPage {
  readonly nextPageToken?: string
}

export interface WalkOptions {
  /** The page to start with; the first page if undefined. */
  readonly pageToken?: string | undefined
  readonly maxPages?: number | undefined
}

/** Yields page after page. Throws on a page token that the walk has already seen. */
export async function* walkPages<Page extends TokenPage>(
  readPage: (pageToken: string | undefined) => Promise<Page>,
  { pageToken, maxPages = Number.POSITIVE_INFINITY }: WalkOptions = {},
): AsyncGenerator<Page> {
  const seen = new Set<string>()
  let token = pageToken
  for (let pages = 0; pages < maxPages; pages += 1) {
    if (token !== undefined) seen.add(token)
    const page = await readPage(token)
    token = page.nextPageToken
    if (token !== undefined && seen.has(token)) {
      throw clientError(
        'Client:PageTokenRepeated',
        `page ${pages + 1} of the walk has the token of an earlier page, so the walk would never end.`,
      )
    }
    yield page
    if (token === undefined) return
  }
}
