import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { BlockList } from 'node:net'
import { describe, expect, it } from 'vitest'
import { OpenRequests } from '../http/request/http-context.ts'
import { limitConnections } from './limit-connections.ts'

/** A connection from any address: this machine has only its own. */
class FakeSocket extends EventEmitter {
  readonly remoteAddress: string
  readonly remotePort: number
  destroyed = false
  constructor(remoteAddress: string, remotePort: number) {
    super()
    this.remoteAddress = remoteAddress
    this.remotePort = remotePort
  }
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

function limited(maxConnections: number, proxy?: string) {
  // Node's own listeners need real connections.
  const server = createServer().removeAllListeners('connection') as Server
  const trustedProxies = new BlockList()
  if (proxy !== undefined) trustedProxies.addAddress(proxy)
  limitConnections(server, new OpenRequests(), { maxConnections, trustedProxies })
  let port = 0
  const connect = (address: string, count = 1) =>
    Array.from({ length: count }, () => {
      port += 1
      const socket = new FakeSocket(address, port)
      server.emit('connection', socket)
      return socket
    })
  const use = (sockets: FakeSocket[]) => {
    const responses: EventEmitter[] = []
    for (const socket of sockets) {
      if (socket.destroyed) continue
      const response = new EventEmitter()
      server.emit('request', { socket }, response)
      responses.push(response)
    }
    return {
      answer: () => {
        for (const response of responses) response.emit('close')
      },
    }
  }
  return { connect, use }
}
const openOf = (sockets: FakeSocket[]) => sockets.filter(({ destroyed }) => !destroyed).length

describe('the connections of an address', () => {
  it('are at most half of all, even if all of them are in use', () => {
    const { connect, use } = limited(100)
    const many = connect('192.0.2.1', 200)
    expect(openOf(many)).toBe(50)
    use(many)
    expect(openOf(connect('192.0.2.1', 10))).toBe(0)
    const others = connect('192.0.2.2', 50)
    use(others)
    expect([openOf(many), openOf(others)]).toEqual([50, 50])
  })

  it('are not limited for loopback and trusted proxies', () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '192.0.2.9']) {
      const { connect, use } = limited(100, '192.0.2.9')
      const all = connect(address, 100)
      use(all)
      expect(openOf(all)).toBe(100)
      expect(openOf(connect(address))).toBe(0)
    }
  })

  it('include those of the same IPv6 network', () => {
    const { connect } = limited(10)
    const addresses = ['2001:db8::1', '2001:db8:0:0:5::1', '2001:db8::2:0:0:3', '2001:db8::ffff']
    const same = addresses.flatMap((address) => connect(address, 3))
    expect(openOf(same)).toBe(5)
    expect(openOf(connect('2001:db8:0:1::1', 3))).toBe(3)
  })

  it('that are unused go first, those of the address with the most before others', () => {
    const { connect, use } = limited(100)
    const victim = connect('192.0.2.7', 5)
    const idle = connect('127.0.0.1', 2000)
    expect(openOf(victim)).toBe(5)
    expect(openOf(idle)).toBe(95)
    expect(idle.at(-1)?.destroyed).toBe(false)
    const later = connect('192.0.2.8', 30)
    use(later)
    expect([openOf(victim), openOf(later), openOf(idle)]).toEqual([5, 30, 65])
  })

  it('that are idle between requests go next', () => {
    const { connect, use } = limited(100)
    const victim = connect('192.0.2.7', 5)
    use(victim).answer()
    const busy = connect('127.0.0.1', 30)
    const first = use(busy)
    use(busy).answer()
    use(connect('127.0.0.1', 65)).answer()
    const unused = connect('192.0.2.8')
    const connectAndUse = () => {
      const sockets = connect('192.0.2.9')
      use(sockets)
      return sockets
    }
    const later = Array.from({ length: 20 }, connectAndUse).flat()
    expect([victim, busy, unused, later].map(openOf)).toEqual([5, 30, 0, 20])
    first.answer()
    const last = Array.from({ length: 30 }, connectAndUse).flat()
    expect([victim, last].map(openOf)).toEqual([5, 30])
  })

  it('are free again once they are closed', async () => {
    const { connect, use } = limited(2)
    const [first] = connect('192.0.2.1')
    use([first as FakeSocket])
    expect(openOf(connect('192.0.2.1'))).toBe(0)
    const closed = once(first as FakeSocket, 'close')
    first?.destroy()
    await closed
    expect(openOf(connect('192.0.2.1'))).toBe(1)
  })
})
