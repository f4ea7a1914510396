import type { Worker } from 'node:cluster'

/** A connection on its way to a process; its number is negative once it is closed here. */
interface Connection {
  readonly fd: number
  close(): void
}

/**
 * Closes the connections that a process was handed and did not take before it ended, so that their
 * clients can ask again. Node keeps them open and forgets them, and the clients would wait for ever.
 */
export function closeUntakenConnections({ process: child }: Worker): void {
  const send = child.send.bind(child) as (...words: unknown[]) => boolean
  let untaken: Connection[] = []
  child.send = (...words: unknown[]) => {
    const [, connection] = words
    if (isConnection(connection)) untaken = [...untaken.filter(isOpen), connection]
    return send(...words)
  }
  child.once('exit', () => {
    for (const connection of untaken.filter(isOpen)) connection.close()
  })
}

function isConnection(word: unknown): word is Connection {
  const { fd, close } = (word ?? {}) as Partial<Connection>
  return typeof fd === 'number' && typeof close === 'function'
}

/** What a process has taken is closed here. */
function isOpen({ fd }: Connection): boolean {
  return fd >= 0
}
