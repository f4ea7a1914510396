/**
 * Follows a replication slot: every transaction of the source becomes a commit of the service. While
 * a request is under way, further transactions are read; they are sent together with the next one.
 */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { connectSource } from './connect-source.ts'
import { FollowedTables } from './followed-tables.ts'
import type { PreparedSync, StartPosition } from './prepare-sync.ts'
import { ReplicationStream, type StreamMessage } from './replication-stream.ts'
import { SourceTransaction } from './source-transaction.ts'
import type { TableMapping } from './table-mapping.ts'
import { TransactionWriter } from './transaction-writer.ts'
import type { UnfitValues } from './unfit-values.ts'
import { type QueuedTransaction, WriteQueue } from './write-queue.ts'

export interface FollowerState {
  /** Everything before this position is committed in the service. */
  readonly position: bigint
  /** Transactions written by this process. */
  readonly transactions: number
  /** How long ago the source committed the last transaction when it was written; 0 if caught up. */
  readonly lagMs: number
}

export interface FollowerOptions {
  readonly url: string
  readonly ontology: string
  readonly once: boolean
  readonly unfit: UnfitValues
  readonly events: {
    readonly onNote: (text: string) => void
    readonly onProgress: (state: FollowerState) => void
    readonly onCaughtUp: (slot: string, state: FollowerState) => void
  }
}

/** How often the source is asked for its position until the sync has caught up. */
const POSITION_INTERVAL_MS = 200

/** The state of PostgreSQL for a publication that does not exist. */
const UNDEFINED_OBJECT = '42704'

export class Follower {
  readonly #endpoints: Endpoints
  readonly #options: FollowerOptions
  #position = 0n
  #transactions = 0
  #lagMs = 0
  /** The position to catch up with; undefined when it is reached. */
  #target: bigint | undefined
  #hasStarted = false

  constructor(endpoints: Endpoints, options: FollowerOptions) {
    this.#endpoints = endpoints
    this.#options = options
  }

  get state(): FollowerState {
    return { position: this.#position, transactions: this.#transactions, lagMs: this.#lagMs }
  }

  get hasStarted(): boolean {
    return this.#hasStarted
  }

  /** Returns when the sync is caught up, if only that is requested, or aborted. */
  async follow(
    { slot, mappings }: PreparedSync,
    start: StartPosition,
    signal: AbortSignal,
  ): Promise<void> {
    const { url, once, ontology, events } = this.#options
    await using client = await connectSource(url, { replication: true })
    const { rows } = await client.query<Record<string, string>>('IDENTIFY_SYSTEM')
    const origin = `${slot}.${rows[0]?.['systemid']}.${rows[0]?.['timeline']}`
    const { onNote } = events
    const writer = new TransactionWriter(this.#endpoints, { ontology, origin, onNote })
    for (const lsn of [start.confirmed, await writer.readPosition()]) {
      if (lsn > this.#position) this.#position = lsn
    }
    if (!this.#hasStarted) this.#target = start.now
    this.#hasStarted = true
    await using stream = await ReplicationStream.open(client, { slot, from: this.#position })
    const poll = setInterval(() => {
      if (this.#target !== undefined) stream.requestPosition()
    }, POSITION_INTERVAL_MS)
    const caughtUp = new AbortController()
    const queue = new WriteQueue(writer, (written) => {
      this.#advance(written, stream)
      if (this.#target === undefined || this.#position < this.#target) return
      this.#target = undefined
      this.#lagMs = 0
      events.onCaughtUp(slot, this.state)
      if (once) caughtUp.abort()
    })
    try {
      const ended = AbortSignal.any([signal, caughtUp.signal, queue.failed])
      await this.#read(stream.messages(ended), queue, mappings)
    } catch (error) {
      if ((error as { readonly code?: string }).code !== UNDEFINED_OBJECT) throw error
      throw new Error(
        `The publication ${slot} was dropped: the source cannot say what changed. Run the command with --restart to copy the tables again.`,
        { cause: error },
      )
    } finally {
      clearInterval(poll)
      // A request under way is finished, so that its position can be confirmed.
      await queue.end()
    }
  }

  async #read(
    messages: AsyncIterable<StreamMessage>,
    queue: WriteQueue,
    mappings: readonly TableMapping[],
  ): Promise<void> {
    const tables = new FollowedTables(mappings, this.#options)
    let transaction: SourceTransaction | undefined
    let commitLsn = 0n
    for await (const message of messages) {
      switch (message.kind) {
        case 'begin':
          transaction = new SourceTransaction()
          commitLsn = message.commitLsn
          break
        case 'relation':
          tables.describe(message.relation)
          break
        case 'put':
        case 'delete': {
          const table = tables.find(message.id, commitLsn)
          if (table !== undefined) transaction?.add(message, table.mapping, table.reader)
          break
        }
        case 'truncate':
          for (const id of message.ids) {
            const table = tables.find(id, commitLsn)
            if (table !== undefined) transaction?.truncate(table.mapping)
          }
          break
        case 'commit':
          await queue.add({ ...message, transaction: transaction ?? new SourceTransaction() })
          transaction = undefined
          break
        case 'position':
          if (transaction === undefined) await queue.add({ endLsn: message.lsn })
          break
        case 'other':
          break
      }
    }
  }

  /** Confirms what was written. */
  #advance(written: readonly QueuedTransaction[], stream: ReplicationStream): void {
    const commits = written.filter(({ transaction }) => transaction !== undefined)
    this.#transactions += commits.length
    const { endLsn = 0n, atMs } = written.at(-1) ?? {}
    this.#lagMs = atMs === undefined ? 0 : Math.max(0, Date.now() - atMs)
    if (endLsn <= this.#position) return
    this.#position = endLsn
    stream.confirm(endLsn)
    this.#options.events.onProgress(this.state)
  }
}
