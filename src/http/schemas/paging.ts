/** The paging parameters, as they stand in a query string or in a body, and `nextPageToken`. */
import { Type } from 'typebox'
import { CHANGES_MAX_WAIT_SECONDS, PAGE_TOKEN_MAX_LENGTH } from '../../contract/limits.ts'
import { documentedWith, flag, optional, text } from '../../contract/schema-parts.ts'

const PageSize = Type.Integer({
  minimum: 1,
  description: 'A hint. Values above the maximum of the endpoint are reduced to it.',
})

const PageToken = documentedWith(
  Type.String({
    minLength: 1,
    maxLength: PAGE_TOKEN_MAX_LENGTH,
    description:
      'The `nextPageToken` of the previous page. Repeat the rest of the request unchanged.',
  }),
  { pattern: '^v1\\.[A-Za-z0-9_-]{64,}$' },
)

const Snapshot = flag('If true, every page shows the data as of the first page.')

/** The paging parameters of metadata, which has no snapshots. */
export const metadataPaging = {
  pageSize: Type.Optional(PageSize),
  pageToken: Type.Optional(PageToken),
}

/** The paging parameters of a query string. */
export const queryPaging = { ...metadataPaging, snapshot: Type.Optional(Snapshot) }

/** The paging members of a request body. */
export const bodyPaging = {
  pageSize: optional(PageSize),
  pageToken: optional(PageToken),
  snapshot: optional(Snapshot),
}

export const NextPageToken = Type.Optional(text('Selects the next page. Absent on the last page.'))

export const NextChangesToken = Type.Optional(
  text(
    'On the last page of a snapshot walk, and of changes: follows everything that changes later. Use it as `since`.',
  ),
)

const Since = documentedWith(
  Type.String({
    minLength: 1,
    maxLength: PAGE_TOKEN_MAX_LENGTH,
    description:
      'A `nextChangesToken`: the changes after it are returned. Or `now`, which returns no changes and a token to start from. Or the `oqs-version` of a page: the changes after that page are returned.',
  }),
  { pattern: '^(now|[0-9]{1,15}|v1\\.[A-Za-z0-9_-]{64,})$' },
)

const Wait = Type.Integer({
  minimum: 0,
  maximum: CHANGES_MAX_WAIT_SECONDS,
  description:
    'How many seconds to wait for changes if there are none yet. Default: 0, the response comes at once.',
})

/** The parameters of a request for changes, in a query string and in a body. */
export const queryFollowing = { since: Since, wait: Type.Optional(Wait), ...metadataPaging }
export const bodyFollowing = {
  since: Since,
  wait: optional(Wait),
  pageSize: optional(PageSize),
  pageToken: optional(PageToken),
}
