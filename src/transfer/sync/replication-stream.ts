/**
 * Streams the changes of a replication slot. The source may remove what was confirmed, so only
 * positions whose changes are committed in the service are confirmed.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Connection } from 'pg'
import { formatLsn } from './lsn.ts'
import { decodePgoutput, fromEpochMs, type PgoutputMessage } from './pgoutput.ts'

export type StreamMessage =
  | PgoutputMessage
  /** All changes up to this position have been sent. */
  | { readonly kind: 'position'; readonly lsn: bigint }

/** A part of the driver's connection that is missing in its types. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

const XLOG_DATA = 0x77
const KEEPALIVE = 0x6b
const STATUS_UPDATE = 0x72
/** The headers of XLogData: kind, start, end, time. */
const DATA_HEADER_BYTES = 25
const STATUS_BYTES = 34

/** The source ends a connection that is silent for `wal_sender_timeout`, which is longer. */
const STATUS_INTERVAL_MS = 5000
/** Messages that are read ahead; then the socket is paused. */
const QUEUE_MESSAGES = 2000
/** After this long without a reply, the connection is closed without one. */
const END_TIMEOUT_MS = 5000

export interface StreamOptions {
  /** The slot and the publication have the same name. */
  readonly slot: string
  /** Changes committed before this position are not sent; the slot decides if it is further. */
  readonly from: bigint
}

export class ReplicationStream implements AsyncDisposable {
  readonly #connection: CopyConnection
  readonly #timer: NodeJS.Timeout
  readonly #queue: StreamMessage[] = []
  #confirmed: bigint
  #wake: () => void = () => {}
  #failure: unknown
  #ended: Promise<void> = Promise.resolve()

  private constructor(client: Client, from: bigint) {
    this.#connection = client.connection as CopyConnection
    this.#confirmed = from
    this.#connection.on('copyData', ({ chunk }: { readonly chunk: Buffer }) => {
      try {
        this.#receive(chunk)
      } catch (error) {
        this.#fail(error)
      }
    })
    this.#timer = setInterval(() => this.#sendStatus(false), STATUS_INTERVAL_MS)
  }

  static async open(client: Client, { slot, from }: StreamOptions): Promise<ReplicationStream> {
    const stream = new ReplicationStream(client, from)
    const started = once(client.connection, 'replicationStart')
    const ended = client
      .query(
        `START_REPLICATION SLOT "${slot}" LOGICAL ${formatLsn(from)} (proto_version '1', publication_names '"${slot}"')`,
      )
      .then(() => {
        throw new Error('Connection terminated by the source')
      })
    stream.#ended = ended.catch((error: unknown) => stream.#fail(error))
    try {
      await Promise.race([started, ended])
    } catch (error) {
      await stream[Symbol.asyncDispose]()
      throw error
    }
    return stream
  }

  /** Yields messages until the connection ends, which throws, or the signal aborts. */
  async *messages(signal: AbortSignal): AsyncGenerator<StreamMessage> {
    const wake = () => this.#wake()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        const message = this.#queue.shift()
        if (message === undefined) {
          if (this.#failure !== undefined) throw this.#failure
          this.#connection.stream.resume()
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
          continue
        }
        yield message
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  /** Tells the source that everything before this position is committed in the service. */
  confirm(lsn: bigint): void {
    if (lsn <= this.#confirmed) return
    this.#confirmed = lsn
    this.#sendStatus(false)
  }

  /** Asks the source how far it has sent; a `position` answers. */
  requestPosition(): void {
    this.#sendStatus(true)
  }

  /** Ends the stream in order, so that the source has seen the last confirmation. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#connection.removeAllListeners('copyData')
    if (this.#failure !== undefined) return
    this.#connection.stream.resume()
    this.#connection.endCopyFrom()
    await Promise.race([this.#ended, sleep(END_TIMEOUT_MS, undefined, { ref: false })])
  }

  #receive(chunk: Buffer): void {
    // Decoded at once: the driver uses the memory of the chunk again.
    if (chunk[0] === XLOG_DATA) {
      this.#queue.push(decodePgoutput(chunk.subarray(DATA_HEADER_BYTES)))
    } else if (chunk[0] === KEEPALIVE) {
      // The last byte asks for an answer at once.
      if (chunk[17] === 1) this.#sendStatus(false)
      this.#queue.push({ kind: 'position', lsn: chunk.readBigUInt64BE(1) })
    }
    if (this.#queue.length >= QUEUE_MESSAGES) this.#connection.stream.pause()
    this.#wake()
  }

  #fail(error: unknown): void {
    this.#failure = error
    clearInterval(this.#timer)
    this.#wake()
  }

  #sendStatus(isReplyRequested: boolean): void {
    if (this.#failure !== undefined || !this.#connection.stream.writable) return
    const status = Buffer.alloc(STATUS_BYTES)
    status.writeUInt8(STATUS_UPDATE, 0)
    // Received, flushed and applied: none of these is further than what the service has committed.
    for (const at of [1, 9, 17]) status.writeBigUInt64BE(this.#confirmed, at)
    status.writeBigInt64BE(fromEpochMs(Date.now()), 25)
    status.writeUInt8(isReplyRequested ? 1 : 0, 33)
    this.#connection.sendCopyFromChunk(status)
  }
}
