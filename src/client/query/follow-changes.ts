/** Follows a set of objects: its snapshot first, then every change, without a gap in between. */
import type { Connection } from '../connection.ts'
import type { ChangesPage, ObjectChange, Page } from '../endpoints/pages.ts'
import { walkPages } from './walk-pages.ts'

export interface FollowOptions {
  /**
   * The `nextChangesToken` of an earlier page: only what has changed after it is followed. `now`
   * follows what changes from now on. Without it, the objects of a snapshot come first.
   */
  readonly since?: string | undefined
  /** The `nextPageToken` of a page of the snapshot, to go on with that snapshot. */
  readonly pageToken?: string | undefined
  /**
   * How many seconds a request waits for changes: 30 by default, at most 60. With 0, the walk ends
   * as soon as it has caught up.
   */
  readonly wait?: number | undefined
}

/** A part of a snapshot, or of the changes from one moment to another. */
export interface FollowedPage<Item> {
  /** In the order of their commits; each object of a snapshot is a `put`. */
  readonly changes: readonly ObjectChange<Item>[]
  /** Whether the changes are objects of the snapshot. */
  readonly isSnapshot: boolean
  /** Set if more pages of the same snapshot or range follow. */
  readonly nextPageToken: string | undefined
  /** Set on the last page of a snapshot or range. Store it with the data: it is the next `since`. */
  readonly nextChangesToken: string | undefined
}

/** How the pages are read. */
export interface FollowSource<Item> {
  readonly connection: Connection
  readonly readSnapshot: (pageToken: string | undefined) => Promise<Page<Item>>
  readonly readChanges: (request: {
    readonly since: string
    readonly pageToken: string | undefined
    readonly wait: number
  }) => Promise<ChangesPage<Item>>
}

const WAIT_SECONDS = 30

export async function* followChanges<Item>(
  { connection, readSnapshot, readChanges }: FollowSource<Item>,
  { since, pageToken, wait = WAIT_SECONDS }: FollowOptions,
): AsyncGenerator<FollowedPage<Item>, void, undefined> {
  let token = since
  if (token === undefined) {
    for await (const page of walkPages(readSnapshot, { pageToken })) {
      yield { ...tokensOf(page), changes: page.data.map((put) => ({ put })), isSnapshot: true }
      token = page.nextChangesToken
    }
  }
  // The first request does not wait, so that a program soon has a token to go on from.
  for (let waited = 0; ; waited = wait) {
    const from = token
    if (from === undefined) {
      throw connection.invalidResponse('returned a last page without nextChangesToken')
    }
    const read = (next: string | undefined) =>
      readChanges({ since: from, pageToken: next, wait: waited })
    for await (const page of walkPages(read)) {
      yield { ...tokensOf(page), changes: page.data, isSnapshot: false }
      token = page.nextChangesToken
    }
    if (wait === 0) return
  }
}

function tokensOf({ nextPageToken, nextChangesToken }: Page<unknown>) {
  return { nextPageToken, nextChangesToken }
}
