/** The headers of writes. */
import { Type } from 'typebox'
import { IDEMPOTENCY_KEY_MAX_LENGTH } from '../../contract/limits.ts'

const idempotencyKey = Type.Optional(
  Type.String({
    description: `Up to ${IDEMPOTENCY_KEY_MAX_LENGTH} characters of your choice, such as a UUID. If a request is sent again with the same key within 24 hours, it is not applied again, and its first response is returned.`,
  }),
)

/** The headers of a write that can be repeated safely. */
export const RepeatHeaders = Type.Object({ 'idempotency-key': idempotencyKey })

/** The headers of a write of one object. */
export const WriteHeaders = Type.Object({
  'idempotency-key': idempotencyKey,
  'if-match': Type.Optional(
    Type.String({
      description: 'Entity tags, or `*`: the object must exist and have one of them.',
    }),
  ),
  'if-none-match': Type.Optional(
    Type.String({
      description: '`*`: the object must not exist. Or entity tags that it must not have.',
    }),
  ),
})
