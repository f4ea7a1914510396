/**
 * Limits the number of open connections, those of one address, and how long a client may stall one.
 * At the limit, a connection that has not sent a request makes room for a new one: whoever only opens
 * connections cannot keep others out.
 */
import type { IncomingMessage, Server } from 'node:http'
import { type BlockList, isIPv6, type Socket } from 'node:net'
import { STALLED_CONNECTION_SECONDS } from '../contract/limits.ts'
import { ADDRESS_CONNECTIONS_SHARE } from '../contract/memory-limits.ts'
import { plainAddress } from '../http/audit/client-address.ts'
import type { Admission } from '../http/request/admission.ts'

export interface ConnectionLimits {
  readonly maxConnections: number
  /** Addresses that stand for many clients, so their share is not limited; loopback is one. */
  readonly trustedProxies?: BlockList | undefined
  readonly stalledMs?: number
}

export function limitConnections(
  server: Server,
  admission: Admission,
  limits: ConnectionLimits,
): void {
  const connections = new OpenConnections(limits)
  server.on('connection', (socket) => connections.add(socket))
  // The requests of an encrypted connection name this socket, not the one below it.
  server.on('secureConnection', (socket: Socket) => connections.addAlias(socket))
  server.prependListener('request', ({ socket }: IncomingMessage) => connections.noteUse(socket))
  const { stalledMs = 1000 * STALLED_CONNECTION_SECONDS } = limits
  // Node calls the listener when a connection is silent or its keep-alive ends, and closes nothing itself.
  server.setTimeout(stalledMs, (socket) => {
    if (!admission.isClientWaiting(socket)) socket.destroy()
  })
}

interface Connection {
  readonly socket: Socket
  readonly peer: Peer
  /** The address and port of the client. */
  readonly port: string
}

/** The connections of an address, or of a network of IPv6. */
interface Peer {
  readonly network: string
  count: number
  /** Those that have not sent a request, the oldest first. */
  readonly unused: Set<Connection>
}

class OpenConnections {
  readonly #maxConnections: number
  readonly #maxOfPeer: number
  readonly #trustedProxies: BlockList | undefined
  readonly #peers = new Map<string, Peer>()
  readonly #ofSocket = new WeakMap<Socket, Connection>()
  readonly #ofPort = new Map<string, Connection>()
  #count = 0

  constructor({ maxConnections, trustedProxies }: ConnectionLimits) {
    this.#maxConnections = maxConnections
    this.#maxOfPeer = Math.max(1, Math.floor(maxConnections * ADDRESS_CONNECTIONS_SHARE))
    this.#trustedProxies = trustedProxies
  }

  add(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '')
    const network = networkOf(address)
    const known = this.#peers.get(network)
    const isFull = this.#count >= this.#maxConnections
    const hasShare = known === undefined || known.count < this.#maxOfPeer || this.#isProxy(address)
    const hasRoom =
      (hasShare && !isFull) || this.#closeOldest(hasShare ? this.#mostUnused() : known)
    if (!hasRoom) {
      socket.destroy()
      return
    }
    // Closing a connection may have removed the peer.
    const peer = this.#peers.get(network) ?? { network, count: 0, unused: new Set() }
    this.#peers.set(network, peer)
    const connection = { socket, peer, port: portOf(socket) }
    peer.count += 1
    peer.unused.add(connection)
    this.#count += 1
    this.#ofSocket.set(socket, connection)
    this.#ofPort.set(connection.port, connection)
    socket.once('close', () => this.#remove(connection))
  }

  addAlias(socket: Socket): void {
    const connection = this.#ofPort.get(portOf(socket))
    if (connection !== undefined) this.#ofSocket.set(socket, connection)
  }

  noteUse(socket: Socket): void {
    const connection = this.#ofSocket.get(socket)
    connection?.peer.unused.delete(connection)
  }

  #isProxy(address: string): boolean {
    if (address === '' || address === '::1' || address.startsWith('127.')) return true
    return this.#trustedProxies?.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ?? false
  }

  /** Returns the peer with the most connections that have not sent a request. */
  #mostUnused(): Peer | undefined {
    let most: Peer | undefined
    for (const peer of this.#peers.values()) {
      if (peer.unused.size > (most?.unused.size ?? 0)) most = peer
    }
    return most
  }

  /** Closes the oldest connection of a peer that has not sent a request; false if there is none. */
  #closeOldest(peer: Peer | undefined): boolean {
    for (const connection of peer?.unused ?? []) {
      // Not only when the socket says that it is closed, which takes a moment.
      this.#remove(connection)
      connection.socket.destroy()
      return true
    }
    return false
  }

  #remove(connection: Connection): void {
    const { peer, port } = connection
    if (this.#ofPort.get(port) !== connection) return
    this.#ofPort.delete(port)
    peer.unused.delete(connection)
    peer.count -= 1
    if (peer.count === 0) this.#peers.delete(peer.network)
    this.#count -= 1
  }
}

/** A client of IPv6 usually has all addresses of a /64 network. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0')].slice(0, 4).join(':')
}

function portOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
