import type { Readable } from 'node:stream'

/**
 * Reads a large answer piece by piece, with a turn for others after each. By itself Node reads a
 * socket up to 32 times, two megabytes of rows, before it looks at anything else.
 */
export async function readInTurns<Answer>(
  stream: Readable,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const pause = () => {
    stream.pause()
    setImmediate(() => stream.resume())
  }
  stream.on('data', pause)
  try {
    return await ask()
  } finally {
    stream.off('data', pause)
  }
}
