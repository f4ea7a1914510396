/** Commits of single objects, against the same rows in one plain table, one transaction per row. */
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import type { Part } from '../measure/command.ts'
import { Connection } from '../measure/connection.ts'
import { define } from '../measure/parts.ts'
import { cpuSince, cpuTimes } from '../measure/processes.ts'
import {
  atLeast,
  count,
  type Mark,
  median,
  quantile,
  showProgress,
  toMarkdown,
} from '../measure/report.ts'
import type { Service } from '../measure/workbench.ts'

/** The rate of a service / that of the bare database, by the number of connections. */
const LIMITS = new Map([
  [1, 0.6],
  [4, 1.2],
  [64, 2],
])
const BARE = 'bare database, 1 connection'

const ORDERS: OntologyDefinition = {
  apiName: 'writes',
  objectTypes: [
    {
      apiName: 'order',
      primaryKey: 'id',
      titleProperty: 'customer',
      properties: {
        id: { type: 'string' },
        customer: { type: 'string' },
        status: { type: 'string' },
        quantity: { type: 'integer' },
        price: { type: 'double' },
        orderedAt: { type: 'timestamp' },
      },
    },
  ],
}
const PATH = '/api/admin/v1/ontologies/writes/objects/order'
const TABLE = `CREATE TABLE "order" (id text PRIMARY KEY, customer text, status text, quantity integer,
  price double precision, "orderedAt" text)`
const STATUSES = ['open', 'packed', 'sent', 'paid'] as const

type Order = ReturnType<typeof makeOrder>

function makeOrder(number: number) {
  return {
    id: `O${String(number).padStart(9, '0')}`,
    customer: `Customer ${(number * 7919) % 10_007}`,
    status: STATUSES[number % STATUSES.length] ?? 'open',
    quantity: number % 100,
    price: (number % 9973) / 8,
    orderedAt: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
  }
}

/** Writes new orders one after the other until a time has passed. Returns how many it has written. */
interface Writer {
  readonly name: string
  readonly pids: readonly number[]
  /** The lowest rate / that of the bare database; undefined if it is not judged. */
  readonly limit?: number | undefined
  write(untilMs: number, nextOrder: () => Order): Promise<number>
}

interface WriteNumbers {
  readonly rounds: number
  readonly sliceMs: number
}

export const writes: Part<WriteNumbers> = {
  about: `Puts new objects one after the other, by 1, 4 and 64 connections, alternately with inserts of the same
rows into one plain table by one connection, each in a transaction of its own that waits for the disk:
by a prepared statement of node:sqlite with synchronous=FULL, or of pg. The time that a disk takes
changes within seconds, so ratios compare neighbouring slices, and their median counts.`,
  full: { rounds: 60, sliceMs: 200 },
  quick: { rounds: 3, sliceMs: 100 },
  async run({ store, bench, texts: { against }, print, numbers }) {
    const bareStore = await bench.createStore('bare')
    await using bare = await openBare(bareStore)
    // Of the bare SQLite, the generator of the load is a part.
    const databasePids = bench.databasePid === undefined ? [] : [bench.databasePid]
    const writers: Writer[] = [{ name: BARE, pids: databasePids, write: bare.write }]
    using connections = new DisposableStack()
    const checkouts = against === undefined ? [undefined] : [undefined, against]
    for (const checkout of checkouts) {
      const service = await bench.startService({ checkout })
      await define(service, ORDERS)
      for (const [size, limit] of LIMITS) {
        const opened = await openConnections(service, size)
        for (const connection of opened) connections.use(connection)
        writers.push({
          name: `${checkout ? 'other checkout' : 'service'}, ${plural(size, 'connection')}`,
          pids: [service.pid, ...databasePids],
          limit: checkout === undefined ? limit : undefined,
          write: (untilMs, nextOrder) => putAll(opened, untilMs, nextOrder),
        })
      }
    }
    const measured = await measure(writers, numbers)
    print(`## ${store}, commits of single objects`)
    print(toMarkdown(resultTable(measured)))
    return measured.flatMap(({ writer: { name, limit }, ratios }): Mark[] =>
      limit === undefined ? [] : [atLeast(limit, `${store}: ${name} / bare`, median(ratios))],
    )
  },
}

interface Measured {
  readonly writer: Writer
  /** Objects per second, in each round. */
  readonly rates: number[]
  /** The same / that of the bare database in the same round. */
  readonly ratios: number[]
  readonly cpuMicros: number[]
}

async function measure(writers: readonly Writer[], { rounds, sliceMs }: WriteNumbers) {
  const measured: readonly Measured[] = writers.map((writer) => ({
    writer,
    rates: [],
    ratios: [],
    cpuMicros: [],
  }))
  let orders = 0
  const nextOrder = () => makeOrder(orders++)
  // The first round prepares statements and compiles; it is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    showProgress(`round ${round} of ${rounds}`)
    let bareRate = Number.NaN
    for (const { writer, rates, ratios, cpuMicros } of measured) {
      const cpuBefore = cpuTimes(...writer.pids)
      const startedAt = performance.now()
      const written = await writer.write(startedAt + sliceMs, nextOrder)
      const rate = (1000 * written) / (performance.now() - startedAt)
      if (writer.name === BARE) bareRate = rate
      if (round === 0) continue
      rates.push(rate)
      ratios.push(rate / bareRate)
      cpuMicros.push(cpuSince(cpuBefore, ...writer.pids) / written)
    }
  }
  return measured
}

function resultTable(measured: readonly Measured[]) {
  const rows = measured.map(({ writer: { name }, rates, ratios, cpuMicros }) => [
    name,
    count(median(rates)),
    count(quantile(rates, 0.9)),
    median(ratios).toFixed(2),
    Number.isNaN(quantile(cpuMicros, 0.25)) ? '-' : count(quantile(cpuMicros, 0.25)),
  ])
  return [['Writes', 'objects/s', 'best tenth', 'ratio to bare', 'CPU µs'], ...rows]
}

interface BareTable extends AsyncDisposable {
  readonly write: Writer['write']
}

async function openBare(store: string): Promise<BareTable> {
  if (store.startsWith('sqlite:')) return openBareSqlite(store.slice('sqlite:'.length))
  const client = new Client({ connectionString: store })
  await client.connect()
  await client.query(TABLE)
  const statement = { name: 'insert', text: 'INSERT INTO "order" VALUES ($1, $2, $3, $4, $5, $6)' }
  return {
    async write(untilMs, nextOrder) {
      let written = 0
      for (; performance.now() < untilMs; written += 1) {
        await client.query({ ...statement, values: Object.values(nextOrder()) })
      }
      return written
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

function openBareSqlite(path: string): BareTable {
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${TABLE}`)
  const insert = db.prepare('INSERT INTO "order" VALUES (?, ?, ?, ?, ?, ?)')
  return {
    async write(untilMs, nextOrder) {
      let written = 0
      for (; performance.now() < untilMs; written += 1) insert.run(...Object.values(nextOrder()))
      return written
    },
    async [Symbol.asyncDispose]() {
      db.close()
    },
  }
}

function openConnections(service: Service, size: number): Promise<readonly Connection[]> {
  return Promise.all(Array.from({ length: size }, () => Connection.open(service)))
}

async function putAll(
  connections: readonly Connection[],
  untilMs: number,
  nextOrder: () => Order,
): Promise<number> {
  const counts = await Promise.all(
    connections.map(async (connection) => {
      let written = 0
      for (; performance.now() < untilMs; written += 1) {
        const order = nextOrder()
        const call = { method: 'PUT', path: `${PATH}/${order.id}`, body: JSON.stringify(order) }
        const { status, body } = await connection.send(call, Infinity)
        if (status !== 201) throw new Error(`status ${status}: ${body}`)
      }
      return written
    }),
  )
  return counts.reduce((sum, written) => sum + written, 0)
}

function plural(size: number, noun: string): string {
  return `${size} ${noun}${size === 1 ? '' : 's'}`
}
