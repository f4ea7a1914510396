import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Listens on a free port of this machine; disposing releases it. */
export async function occupyPort(): Promise<AsyncDisposable & { readonly port: string }> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port: String(port),
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}
