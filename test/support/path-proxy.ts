/** A proxy that serves a service under a path, next to other sites of its host. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PathProxy extends AsyncDisposable {
  /** The address of the service behind the proxy. */
  readonly url: string
  /** The requests for anything outside of the path. */
  readonly strays: readonly string[]
}

export interface PathProxyOptions {
  /** The address of the service, without the path. */
  readonly origin: string
  readonly path: string
  /** Whether the proxy removes the path before it passes a request on. */
  readonly isStripped: boolean
}

export async function startPathProxy(options: PathProxyOptions): Promise<PathProxy> {
  const { origin, path, isStripped } = options
  const { hostname, port } = new URL(origin)
  const strays: string[] = []
  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming
    if (!url.startsWith(`${path}/`)) {
      strays.push(url)
      outgoing.writeHead(404).end()
      return
    }
    const passed = request(
      { hostname, port, method, headers, path: isStripped ? url.slice(path.length) : url },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    strays,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
