/** Walks over pages by following page tokens. */
import { clientError, nextTokensOf, type OqsError } from '../oqs-error.ts'

/** The members of a page that a walk uses. */
export interface TokenPage {
  readonly nextPageToken?: string
}

export interface WalkOptions {
  /** The page to start with; the first page if undefined. */
  readonly pageToken?: string | undefined
  readonly maxPages?: number | undefined
  /**
   * Called with the error if a page token is too old, and the walk can go on after the last object as
   * of now. Without it, the walk ends with the error.
   */
  readonly onContinue?: ((error: OqsError) => void | Promise<void>) | undefined
}

/**
 * Yields page after page. Throws on a page token that the walk has already seen. A token that has
 * expired is renewed as long as its snapshot can be read.
 */
export async function* walkPages<Page extends TokenPage>(
  readPage: (pageToken: string | undefined) => Promise<Page>,
  { pageToken, maxPages = Number.POSITIVE_INFINITY, onContinue }: WalkOptions = {},
): AsyncGenerator<Page> {
  const seen = new Set<string>()
  let token = pageToken
  for (let pages = 0; pages < maxPages; pages += 1) {
    if (token !== undefined) seen.add(token)
    const page = await readOn(readPage, token, onContinue)
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

/** Reads a page; if its token is too old, with another that goes on from the same object. */
async function readOn<Page>(
  readPage: (pageToken: string | undefined) => Promise<Page>,
  pageToken: string | undefined,
  onContinue: WalkOptions['onContinue'],
): Promise<Page> {
  let refused: unknown
  try {
    return await readPage(pageToken)
  } catch (error) {
    const { snapshotToken } = nextTokensOf(error)
    refused = error
    if (snapshotToken !== undefined) {
      try {
        return await readPage(snapshotToken)
      } catch (later) {
        refused = later
      }
    }
  }
  const { continueToken } = nextTokensOf(refused)
  if (continueToken === undefined || onContinue === undefined) throw refused
  await onContinue(refused as OqsError)
  return readPage(continueToken)
}
