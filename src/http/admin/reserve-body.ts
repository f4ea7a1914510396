/** Counts the memory of a JSON body of one object against the budget. */
import { Transform } from 'node:stream'
import type { preParsingAsyncHookHandler } from 'fastify'
import { MEMORY_PER_BYTE } from '../../service/batches/read-batch.ts'
import type { Services } from '../services.ts'

/**
 * Returns a hook that reserves the memory of a body until the request ends: all of it before the body
 * is received if its length is known, otherwise that of each chunk as it arrives.
 */
export function reserveBody({ memory }: Pick<Services, 'memory'>): preParsingAsyncHookHandler {
  return async ({ headers, context }, _, payload) => {
    const length = headers['content-length']
    const reservation = memory.reserve(context.callerId, MEMORY_PER_BYTE * Number(length ?? 0))
    context.defer(() => reservation.release())
    if (length !== undefined) return payload
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        try {
          reservation.grow(MEMORY_PER_BYTE * chunk.length)
          done(null, chunk)
        } catch (error) {
          done(error as Error)
        }
      },
    })
    // A client that disconnects must not leave the parser waiting.
    payload.on('error', (error) => counted.destroy(error))
    return payload.pipe(counted)
  }
}
