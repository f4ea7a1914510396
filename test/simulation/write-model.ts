/** Writes, as a client sends them once or several times, and what each must do. */
import { IDEMPOTENCY_KEY_TTL_SECONDS } from '../../src/contract/limits.ts'
import type { Replacement } from './model.ts'
import type { Answer } from './node.ts'
import type { HttpRequest } from './queries.ts'
import { expectEqual, expectError, type World } from './world.ts'

export interface SentWrite {
  readonly request: HttpRequest
  /** The idempotency key, if the client sends one. */
  readonly onceKey: string | undefined
  /** Checks the answer to a write that takes effect now, and applies it to the model. */
  readonly apply: (answer: Answer) => void
  /** The replacement that the write is part of. */
  readonly replacement?: Replacement | undefined
}

/** The number of writes that clients may still repeat. */
const WRITES = 6

/** Sends a write with or without an idempotency key, and remembers it for a repetition. */
export async function sendWrite(
  world: World,
  request: HttpRequest,
  apply: SentWrite['apply'],
  replacement?: Replacement,
): Promise<void> {
  const onceKey = world.random.chance(0.6) ? `key-${world.madeKeys}` : undefined
  world.madeKeys += 1
  const keyed = onceKey === undefined ? {} : { 'idempotency-key': onceKey }
  const headers = { ...request.headers, ...keyed }
  const write = { request: { ...request, headers }, onceKey, apply, replacement }
  world.writes = [write, ...world.writes].slice(0, WRITES)
  await deliver(world, write)
}

/** Sends a write again, as a client does whose answer was lost. */
export async function repeatWrite(world: World): Promise<void> {
  const { random, writes } = world
  if (writes.length > 0) await deliver(world, random.pick(writes))
}

/** Sends another write with the key of an earlier one. */
export async function reuseKey(world: World): Promise<void> {
  const keyed = world.writes.filter(({ onceKey }) => onceKey !== undefined)
  const [first, second] = keyed
  if (first === undefined || second === undefined) return
  const headers = { ...first.request.headers, 'idempotency-key': second.onceKey ?? '' }
  const write = { ...first, request: { ...first.request, headers }, onceKey: second.onceKey }
  await deliver(world, write)
}

async function deliver(world: World, write: SentWrite): Promise<void> {
  const { request, onceKey = '' } = write
  const recorded = world.onceKeys.get(onceKey)
  const answer = await world.send(request)
  // Every batch keeps its replacement from expiring, also one that is repeated or rejected.
  if (write.replacement !== undefined) write.replacement.idleSince = undefined
  const isReplayed = answer.headers['idempotency-replayed'] === 'true'
  if (recorded !== undefined && recorded.expiresAtMs > world.clock.now) {
    if (recorded.request !== identityOf(request)) {
      expectError(answer, 422, 'IdempotencyKeyReused')
      return
    }
    const { status, body } = recorded.answer
    expectEqual([answer.status, answer.body], [status, body], 'the answer to a repeated write')
    expectEqual(isReplayed, true, 'whether the write was recognised as a repetition')
    return
  }
  expectEqual(isReplayed, false, 'whether the write was recognised as a repetition')
  write.apply(answer)
  if (write.onceKey === undefined || answer.status >= 300) return
  const expiresAtMs = world.clock.now + 1000 * IDEMPOTENCY_KEY_TTL_SECONDS
  world.onceKeys.set(write.onceKey, { request: identityOf(request), answer, expiresAtMs })
}

function identityOf({ method, path, headers = {}, body }: HttpRequest): string {
  return JSON.stringify([method, path, headers['if-match'], headers['if-none-match'], body])
}
