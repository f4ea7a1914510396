import type { Readable } from 'node:stream'

/**
 * Reads a large result one chunk per iteration of the event loop. Node itself reads a socket up to
 * 32 times in a row, two megabytes of rows, before it handles anything else.
 */
export async function readInTurns<Result>(
  stream: Readable,
  run: () => Promise<Result>,
): Promise<Result> {
  const pause = () => {
    stream.pause()
    setImmediate(() => stream.resume())
  }
  stream.on('data', pause)
  try {
    return await run()
  } finally {
    stream.off('data', pause)
  }
}
