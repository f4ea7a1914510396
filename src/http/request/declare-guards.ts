/**
 * How endpoints treat the headers that guard writes. Every endpoint that is not a GET declares it, and
 * a header that an endpoint cannot honour is refused: ignoring it would write without the guard.
 */

/** `nothing` for an endpoint that only reads. */
export type WriteGuards =
  | 'nothing'
  | {
      /** `If-Match` and `If-None-Match`. */
      readonly preconditions: Guard
      /** `Idempotency-Key`. */
      readonly idempotencyKey: Guard
    }

/** A header is honoured, or refused for a reason that the error states. */
export type Guard = 'honoured' | { readonly refused: string }

const NO_TAG = { refused: 'is not supported here: this request writes nothing with an entity tag' }
const NO_KEY = { refused: 'is not supported here: this request can be sent again without it' }

/** A write of something that has an entity tag. */
export const GUARDED = { preconditions: 'honoured', idempotencyKey: 'honoured' } as const
/** A write that creates something new, or writes many objects. */
export const KEYED = { preconditions: NO_TAG, idempotencyKey: 'honoured' } as const
/** A write that ends something, or that a one-time code or OAuth protects. */
export const UNGUARDED = { preconditions: NO_TAG, idempotencyKey: NO_KEY } as const
