/**
 * Limits the number of open connections, those of one address, and how long a client may stall one.
 * At the limit, a connection without a request of a known caller makes room for a new one, so a client
 * that only opens connections, keeps them after a request, or never completes one, cannot keep others
 * out.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type BlockList, isIPv6, type Socket } from 'node:net'
import { STALLED_CONNECTION_SECONDS } from '../contract/limits.ts'
import { ADDRESS_CONNECTIONS_SHARE } from '../contract/memory-limits.ts'
import { plainAddress } from '../http/audit/client-address.ts'
import type { OpenRequests } from '../http/request/http-context.ts'

export interface ConnectionLimits {
  readonly maxConnections: number
  /** Addresses that stand for many clients, so their share is not limited; loopback is one. */
  readonly trustedProxies?: BlockList | undefined
  readonly stalledMs?: number
}

export function limitConnections(
  server: Server,
  openRequests: OpenRequests,
  limits: ConnectionLimits,
): void {
  const connections = new OpenConnections(limits, openRequests)
  server.on('connection', (socket) => connections.add(socket))
  // The requests of an encrypted connection name this socket, not the one below it.
  server.on('secureConnection', (socket: Socket) => connections.addAlias(socket))
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) =>
    connections.noteRequest(socket, response),
  )
  const { stalledMs = 1000 * STALLED_CONNECTION_SECONDS } = limits
  // Node calls the listener when a connection is silent or its keep-alive ends, and closes nothing itself.
  server.setTimeout(stalledMs, (socket) => {
    if (!openRequests.isClientWaiting(socket)) socket.destroy()
  })
}

interface Connection {
  /** The one that its requests name, once it has had any. */
  socket: Socket
  readonly peer: Peer
  /** The address and port of the client. */
  readonly port: string
  /** The number of requests in progress. */
  requests: number
}

/** Connections that make room for others: unused ones have not sent a request yet. */
const SPARE = ['unused', 'idle'] as const
type Spare = (typeof SPARE)[number]

/** The connections of an address, or of a network of IPv6. */
interface Peer extends Readonly<Record<Spare | 'all', Set<Connection>>> {
  readonly network: string
}

class OpenConnections {
  readonly #maxConnections: number
  readonly #maxOfPeer: number
  readonly #trustedProxies: BlockList | undefined
  readonly #openRequests: OpenRequests
  readonly #peers = new Map<string, Peer>()
  readonly #ofSocket = new WeakMap<Socket, Connection>()
  readonly #ofPort = new Map<string, Connection>()
  #count = 0

  constructor({ maxConnections, trustedProxies }: ConnectionLimits, openRequests: OpenRequests) {
    this.#maxConnections = maxConnections
    this.#maxOfPeer = Math.max(1, Math.floor(maxConnections * ADDRESS_CONNECTIONS_SHARE))
    this.#trustedProxies = trustedProxies
    this.#openRequests = openRequests
  }

  add(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '')
    const network = networkOf(address)
    const known = this.#peers.get(network)
    const isFull = this.#count >= this.#maxConnections
    const hasShare =
      known === undefined || known.all.size < this.#maxOfPeer || this.#isProxy(address)
    const hasRoom = hasShare && !isFull
    if (!hasRoom && !this.#makeRoom(hasShare ? [...this.#peers.values()] : [known])) {
      socket.destroy()
      return
    }
    // Closing a connection may have removed the peer.
    const peer = this.#peers.get(network) ?? newPeer(network)
    this.#peers.set(network, peer)
    const connection = { socket, peer, port: portOf(socket), requests: 0 }
    peer.all.add(connection)
    peer.unused.add(connection)
    this.#count += 1
    this.#ofSocket.set(socket, connection)
    this.#ofPort.set(connection.port, connection)
    socket.on('close', () => this.#remove(connection))
  }

  addAlias(socket: Socket): void {
    const connection = this.#ofPort.get(portOf(socket))
    if (connection !== undefined) this.#ofSocket.set(socket, connection)
  }

  noteRequest(socket: Socket, response: ServerResponse): void {
    const connection = this.#ofSocket.get(socket)
    if (connection === undefined) return
    const { peer } = connection
    connection.socket = socket
    connection.requests += 1
    for (const kind of SPARE) peer[kind].delete(connection)
    response.on('close', () => {
      connection.requests -= 1
      if (connection.requests === 0 && this.#isOpen(connection)) peer.idle.add(connection)
    })
  }

  #isProxy(address: string): boolean {
    if (address === '' || address === '::1' || address.startsWith('127.')) return true
    return this.#trustedProxies?.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') ?? false
  }

  /** Closes a connection of one of the peers that makes room; false if there is none. */
  #makeRoom(peers: readonly Peer[]): boolean {
    return (
      SPARE.some((kind) => this.#closeOldest(peers.map((peer) => peer[kind]))) ||
      this.#closeOldest(peers.map(({ all }) => this.#unidentifiedOf(all)))
    )
  }

  /** Closes the oldest connection of the peer with the most; false if none has any. */
  #closeOldest(ofPeers: readonly ReadonlySet<Connection>[]): boolean {
    const [oldest] = ofPeers.reduce((a, b) => (b.size > a.size ? b : a))
    if (oldest === undefined) return false
    // Not only when the socket says that it is closed, which takes a moment.
    this.#remove(oldest)
    oldest.socket.destroy()
    return true
  }

  /** Returns connections with requests whose callers are unknown, such as unfinished sign-ins. */
  #unidentifiedOf(connections: ReadonlySet<Connection>): ReadonlySet<Connection> {
    const isUnidentified = ({ socket }: Connection) => this.#openRequests.isUnidentified(socket)
    return new Set([...connections].filter(isUnidentified))
  }

  #isOpen(connection: Connection): boolean {
    return this.#ofPort.get(connection.port) === connection
  }

  #remove(connection: Connection): void {
    const { peer, port } = connection
    if (!this.#isOpen(connection)) return
    this.#ofPort.delete(port)
    for (const kind of SPARE) peer[kind].delete(connection)
    peer.all.delete(connection)
    if (peer.all.size === 0) this.#peers.delete(peer.network)
    this.#count -= 1
  }
}

function newPeer(network: string): Peer {
  return { network, all: new Set(), unused: new Set(), idle: new Set() }
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
