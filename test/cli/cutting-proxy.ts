import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that breaks or stalls connections to the service on purpose. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string
  /**
   * Cuts open connections now, and each of the next ones after the given number of response bytes;
   * later connections are not cut.
   */
  cutAfter(...bytes: number[]): void
  /** The number of connections cut so far. */
  readonly cuts: () => number
  /** Stalls later connections after this many response bytes; undefined stops that. */
  stallAfter(bytes: number | undefined): void
}

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let cuts: number[] = []
  let stall: number | undefined
  let made = 0

  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    near.pipe(far)
    const cut = cuts.shift()
    const stop = cut ?? stall
    let passed = 0
    far.on('data', (chunk) => {
      const rest = stop === undefined ? chunk.length : stop - passed
      passed += Math.min(chunk.length, rest)
      if (rest >= chunk.length) near.write(chunk)
      else {
        far.pause()
        near.write(chunk.subarray(0, rest), cut === undefined ? undefined : end)
        if (cut !== undefined) made += 1
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAfter: (...bytes) => {
      for (const socket of sockets) socket.destroy()
      cuts = bytes
    },
    cuts: () => made,
    stallAfter: (bytes) => {
      stall = bytes
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
