import type { Worker } from 'node:cluster'

/** A connection handle sent to a worker; its descriptor is negative once it is closed here. */
interface Connection {
  readonly fd: number
  close(): void
}

/**
 * Closes the connections that were sent to a worker and not accepted before it exited, so that
 * their clients can retry. Node.js leaves these connections open, and the clients would hang.
 */
export function closeUntakenConnections({ process: child }: Worker): void {
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  let untaken: Connection[] = []
  child.send = (...args: unknown[]) => {
    const [, handle] = args
    if (isConnection(handle)) untaken = [...untaken.filter(isOpen), handle]
    return send(...args)
  }
  child.once('exit', () => {
    for (const connection of untaken.filter(isOpen)) connection.close()
  })
}

function isConnection(handle: unknown): handle is Connection {
  const { fd, close } = (handle ?? {}) as Partial<Connection>
  return typeof fd === 'number' && typeof close === 'function'
}

/** A connection that the worker has accepted is closed in this process. */
function isOpen({ fd }: Connection): boolean {
  return fd >= 0
}
