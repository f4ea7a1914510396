/** The headers that guard writes; see `write-guards.ts` for which endpoint has which. */

import { Type } from 'typebox'
import { IDEMPOTENCY_KEY_MAX_LENGTH, IDEMPOTENCY_KEY_TTL_SECONDS } from '../../contract/limits.ts'
import { text } from '../../contract/schema-parts.ts'

/** The header of a write that can be repeated safely. */
export const IDEMPOTENCY_HEADERS = {
  'idempotency-key': Type.Optional(
    text(
      `Up to ${IDEMPOTENCY_KEY_MAX_LENGTH} characters of your choice, such as a UUID. If a request is sent again with the same key within ${IDEMPOTENCY_KEY_TTL_SECONDS / 3600} hours, it is not applied again, and its first response is returned.`,
    ),
  ),
}

/** The headers of a write of something that has an entity tag. */
export const PRECONDITION_HEADERS = {
  'if-match': Type.Optional(
    text(
      'Entity tags, or `*`: what the request writes must exist and have one of them. Otherwise, the status is 412.',
    ),
  ),
  'if-none-match': Type.Optional(
    text(
      '`*`: what the request writes must not exist. Or entity tags that it must not have. Otherwise, the status is 412.',
    ),
  ),
}
