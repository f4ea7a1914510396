/** Follows a replication slot: every transaction of the source becomes a commit of the service. */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { connectSource } from './connect-source.ts'
import type { Relation } from './pgoutput.ts'
import type { PreparedSync, StartPosition } from './prepare-sync.ts'
import { ReplicationStream, type StreamMessage } from './replication-stream.ts'
import { tableName } from './source-tables.ts'
import { SourceTransaction } from './source-transaction.ts'
import { type RowReader, rowReader, type TableMapping } from './table-mapping.ts'
import { TransactionWriter } from './transaction-writer.ts'
import type { UnfitValues } from './unfit-values.ts'

export interface FollowerState {
  /** Everything before this position is committed in the service. */
  readonly position: bigint
  /** Transactions written by this process. */
  readonly transactions: number
}

export interface FollowerOptions {
  readonly url: string
  readonly ontology: string
  readonly once: boolean
  readonly signal: AbortSignal
  readonly unfit: UnfitValues
  readonly events: {
    readonly onNote: (text: string) => void
    readonly onProgress: (state: FollowerState) => void
    readonly onCaughtUp: (slot: string, state: FollowerState) => void
  }
}

/** How often the source is asked for its position until the sync has caught up. */
const POSITION_INTERVAL_MS = 200

interface FollowedTable {
  readonly mapping: TableMapping
  readonly reader: RowReader
}

export class Follower {
  readonly #endpoints: Endpoints
  readonly #options: FollowerOptions
  #position = 0n
  #transactions = 0
  /** The position to catch up with; undefined when it is reached. */
  #target: bigint | undefined
  #writer: TransactionWriter | undefined

  constructor(endpoints: Endpoints, options: FollowerOptions) {
    this.#endpoints = endpoints
    this.#options = options
  }

  get state(): FollowerState {
    return { position: this.#position, transactions: this.#transactions }
  }

  get hasStarted(): boolean {
    return this.#writer !== undefined
  }

  /** Returns when the sync is caught up, if only that is requested, or aborted. */
  async follow({ slot, mappings }: PreparedSync, start: StartPosition): Promise<void> {
    const { url, signal, ontology, events } = this.#options
    await using client = await connectSource(url, { replication: true })
    const { rows } = await client.query<Record<string, string>>('IDENTIFY_SYSTEM')
    const origin = `${slot}@${rows[0]?.['systemid']}/${rows[0]?.['timeline']}`
    if (this.#writer === undefined) {
      this.#target = start.now
      const { onNote } = events
      const options = { ontology, origin, newFrom: start.now, onNote }
      this.#writer = new TransactionWriter(this.#endpoints, options)
    }
    if (start.confirmed > this.#position) this.#position = start.confirmed
    await using stream = await ReplicationStream.open(client, { slot, from: this.#position })
    const poll = setInterval(() => {
      if (this.#target !== undefined) stream.requestPosition()
    }, POSITION_INTERVAL_MS)
    try {
      await this.#apply(stream.messages(signal), { slot, stream, writer: this.#writer, mappings })
    } finally {
      clearInterval(poll)
    }
  }

  async #apply(
    messages: AsyncIterable<StreamMessage>,
    context: {
      readonly slot: string
      readonly stream: ReplicationStream
      readonly writer: TransactionWriter
      readonly mappings: readonly TableMapping[]
    },
  ): Promise<void> {
    const { slot, stream, writer } = context
    const byOid = new Map(context.mappings.map((mapping) => [mapping.table.oid, mapping]))
    const tables = new Map<number, FollowedTable>()
    let transaction = new SourceTransaction()
    let isOpen = false
    for await (const message of messages) {
      switch (message.kind) {
        case 'begin':
          transaction = new SourceTransaction()
          isOpen = true
          break
        case 'relation': {
          const mapping = byOid.get(message.relation.id)
          if (mapping !== undefined) {
            tables.set(message.relation.id, this.#followTable(mapping, message.relation))
          }
          break
        }
        case 'put':
        case 'delete': {
          const table = tables.get(message.id)
          if (table !== undefined) transaction.add(message, table.mapping, table.reader)
          break
        }
        case 'truncate':
          for (const id of message.ids) {
            const table = tables.get(id)
            if (table !== undefined) transaction.truncate(table.mapping)
          }
          break
        case 'commit':
          await writer.write(transaction, message.endLsn)
          isOpen = false
          this.#transactions += 1
          this.#advance(message.endLsn, stream)
          break
        case 'position':
          if (!isOpen) this.#advance(message.lsn, stream)
          break
        case 'other':
          break
      }
      if (this.#target === undefined || this.#position < this.#target) continue
      this.#target = undefined
      this.#options.events.onCaughtUp(slot, this.state)
      if (this.#options.once) return
    }
  }

  #advance(lsn: bigint, stream: ReplicationStream): void {
    if (lsn <= this.#position) return
    this.#position = lsn
    stream.confirm(lsn)
    this.#options.events.onProgress(this.state)
  }

  /** Checks that a table still has the columns that are written. */
  #followTable(mapping: TableMapping, relation: Relation): FollowedTable {
    const { unfit, events } = this.#options
    const { table } = mapping
    const name = tableName(table)
    if (tableName(relation) !== name) throw tableChanged(name, `is ${tableName(relation)} now`)
    const columns = new Map(relation.columns.map((column) => [column.name, column]))
    for (const { name: column, typeOid } of mapping.columns) {
      const found = columns.get(column)
      if (found === undefined) throw tableChanged(name, `has no column ${column} any more`)
      if (found.typeOid !== typeOid) throw tableChanged(name, `has another type for ${column}`)
    }
    const known = new Set(table.columns.map((column) => column.name))
    for (const column of columns.keys()) {
      if (known.has(column)) continue
      events.onNote(`${name}: the new column ${column} is left out; --restart copies it`)
    }
    const reader = rowReader(mapping, [...columns.keys()], unfit.reporter(mapping))
    return { mapping, reader }
  }
}

function tableChanged(table: string, what: string): Error {
  return new Error(
    `The source table was changed: ${table} ${what}. Run the command with --restart to copy it again as it is now.`,
  )
}
