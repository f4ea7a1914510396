import pg from 'pg'
import { ownValue } from '../../formats/row.ts'
import { isTemporary } from '../sync/connect-source.ts'
import {
  columnList,
  columnNames,
  type MirrorColumn,
  type MirrorDatabase,
  type MirrorLayout,
  quoted,
  type Row,
  TargetLost,
} from './mirror-database.ts'
import type { MirroredType, Properties } from './mirrored-type.ts'

/** Rows are sent as one JSON text, which the server converts to the types of the table. */
export class PostgresDatabase implements MirrorDatabase {
  readonly name: string
  readonly begin = 'BEGIN'
  readonly #url: string
  #client: pg.Client | undefined
  #hasConnected = false

  constructor(url: string) {
    this.#url = url
    const { host, pathname } = new URL(url)
    this.name = host + pathname
  }

  layoutOf({ properties, primaryKey }: MirroredType): MirrorLayout {
    const names = columnNames(properties.keys(), { reserved: SYSTEM_COLUMNS, fold: (name) => name })
    const columns = [...properties].map(([property, type]): MirrorColumn => {
      const name = names.get(property) ?? property
      checkName(name, 'property')
      const read = (object: Properties) => datable(type, ownValue(object, property) ?? null)
      return { name, sqlType: TYPES[type] ?? 'jsonb', read }
    })
    const key = columns.find(({ name }) => name === names.get(primaryKey))
    if (key === undefined) throw new Error(`there is no property ${primaryKey}`)
    return { columns, key }
  }

  async hasTable(table: string): Promise<boolean> {
    const [row] = await this.run('SELECT to_regclass(?) IS NOT NULL AS found', [quoted(table)])
    return row?.['found'] === true
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    let count = 0
    const numbered = parameters.length === 0 ? sql : sql.replaceAll('?', () => `$${++count}`)
    const client = this.#client ?? (await this.#connect())
    try {
      return (await client.query(numbered, [...parameters])).rows as Row[]
    } catch (error) {
      throw this.#explain(error)
    }
  }

  async put(table: string, layout: MirrorLayout, objects: readonly Properties[]): Promise<void> {
    if (objects.length === 0) return
    const { columns, key } = layout
    const others = columns.filter((column) => column !== key)
    const changed = others.map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`)
    const onConflict = changed.length === 0 ? 'NOTHING' : `UPDATE SET ${changed.join(', ')}`
    await this.run(
      `INSERT INTO ${quoted(table)} (${columnList(layout)})
       SELECT ${columnList(layout)} FROM json_populate_recordset(null::${quoted(table)}, ?)
       ON CONFLICT (${quoted(key.name)}) DO ${onConflict}`,
      [rowsOf(columns, objects)],
    )
  }

  async remove(table: string, { key }: MirrorLayout, keys: readonly Properties[]): Promise<void> {
    if (keys.length === 0) return
    await this.run(
      `DELETE FROM ${quoted(table)} WHERE ${quoted(key.name)} IN
         (SELECT ${quoted(key.name)} FROM json_populate_recordset(null::${quoted(table)}, ?))`,
      [rowsOf([key], keys)],
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'oqs mirror',
      keepAlive: true,
    })
    const forget = () => {
      if (this.#client === client) this.#client = undefined
    }
    // An error between two statements is reported by the next one.
    client.on('error', forget).on('end', forget)
    try {
      await client.connect()
      // The transaction of large changes stays open while their pages are read.
      await client.query('SET idle_in_transaction_session_timeout = 0; SET statement_timeout = 0')
    } catch (error) {
      throw this.#explain(error)
    }
    this.#hasConnected = true
    this.#client = client
    return client
  }

  /** A database that has answered before is assumed to be restarting. */
  #explain(error: unknown): Error {
    const { code = '', message } = error as Error & { readonly code?: string }
    const text = `PostgreSQL at ${this.name}: ${message || code}`
    if (!this.#hasConnected || !isTemporary(error)) {
      return new Error(text, { cause: error })
    }
    this.#client?.end().catch(() => {})
    this.#client = undefined
    return new TargetLost(`lost the connection to ${text}.`, { cause: error })
  }
}

/** Refuses a name that PostgreSQL would cut. */
export function checkName(name: string, what: 'table' | 'property'): void {
  if (Buffer.byteLength(name) <= NAME_MAX_BYTES) return
  const remedy = what === 'table' ? 'choose another --table' : 'mirror to a file instead'
  throw new Error(
    `the name of the ${what} ${name} is longer than the ${NAME_MAX_BYTES} bytes of PostgreSQL; ${remedy}`,
  )
}

const NAME_MAX_BYTES = 63

/** Every table has these. */
const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']

/** Others have parts, and are stored as JSON. */
const TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Marking: 'text',
  Boolean: 'boolean',
  Byte: 'smallint',
  Short: 'smallint',
  Integer: 'integer',
  Long: 'bigint',
  // Exactly the number that the service sends.
  Float: 'double precision',
  Double: 'double precision',
  Decimal: 'numeric',
  LocalDate: 'date',
  Timestamp: 'timestamptz',
}

function rowsOf(columns: readonly MirrorColumn[], objects: readonly Properties[]): string {
  return JSON.stringify(
    objects.map((object) =>
      Object.fromEntries(columns.map(({ name, read }) => [name, read(object)])),
    ),
  )
}

/** PostgreSQL writes the year 0 as the year 1 before Christ. */
function datable(type: string, value: unknown): unknown {
  const isDate = type === 'LocalDate' || type === 'Timestamp'
  if (!isDate || typeof value !== 'string' || !value.startsWith('0000-')) return value
  return `0001-${value.slice(5)} BC`
}
