import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { ownValue } from '../../formats/row.ts'
import {
  columnList,
  columnNames,
  type MirrorColumn,
  type MirrorDatabase,
  type MirrorLayout,
  quoted,
  type Row,
} from './mirror-database.ts'
import type { MirroredType, Properties } from './mirrored-type.ts'

/** How long to wait for other programs that write to the file. */
const BUSY_MS = 60_000
/** The result code of SQLite. */
const NOT_A_DATABASE = 26

export class SqliteDatabase implements MirrorDatabase {
  readonly name: string
  /** A transaction that reads first could find that another has written since. */
  readonly begin = 'BEGIN IMMEDIATE'
  readonly #database: DatabaseSync

  constructor(path: string) {
    this.name = path
    try {
      this.#database = new DatabaseSync(path, { timeout: BUSY_MS })
      // Others can read while the mirror writes. After a power failure the last transactions may be
      // gone, data and state together.
      this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    } catch (error) {
      const { errcode, message } = error as Error & { readonly errcode?: number }
      const remedy = errcode === NOT_A_DATABASE ? '. Choose another file, or delete this one.' : ''
      throw new Error(`cannot open ${path} as an SQLite database: ${message}${remedy}`, {
        cause: error,
      })
    }
  }

  layoutOf({ properties, primaryKey }: MirroredType): MirrorLayout {
    const names = columnNames(properties.keys(), { fold: (name) => name.toLowerCase() })
    const columns = [...properties].map(([property, type]): MirrorColumn => {
      const { sqlType = 'TEXT', convert = toText } = TYPES[type] ?? {}
      const read = (object: Properties) => {
        const value = ownValue(object, property)
        return value === undefined || value === null ? null : convert(value)
      }
      return { name: names.get(property) ?? property, sqlType, read }
    })
    const key = columns.find(({ name }) => name === names.get(primaryKey))
    if (key === undefined) throw new Error(`there is no property ${primaryKey}`)
    return { columns, key }
  }

  async hasTable(table: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE'
    return this.#database.prepare(sql).get(table) !== undefined
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#database.prepare(sql).all(...(parameters as SQLInputValue[])) as Row[]
  }

  async put(table: string, layout: MirrorLayout, objects: readonly Properties[]): Promise<void> {
    const marks = layout.columns.map(() => '?').join(', ')
    const statement = this.#database.prepare(
      `INSERT OR REPLACE INTO ${quoted(table)} (${columnList(layout)}) VALUES (${marks})`,
    )
    for (const object of objects) {
      const values = layout.columns.map(({ read }) => read(object)) as SQLInputValue[]
      statement.run(...values)
    }
  }

  async remove(table: string, { key }: MirrorLayout, keys: readonly Properties[]): Promise<void> {
    const statement = this.#database.prepare(
      `DELETE FROM ${quoted(table)} WHERE ${quoted(key.name)} = ?`,
    )
    for (const one of keys) statement.run(key.read(one) as SQLInputValue)
  }

  /** Yields the rows of a query one by one. */
  iterate(sql: string): Iterable<Row> {
    return this.#database.prepare(sql).iterate() as Iterable<Row>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close()
  }
}

interface SqliteType {
  readonly sqlType: string
  readonly convert: (value: unknown) => SQLInputValue
}

const whole: SqliteType = { sqlType: 'INTEGER', convert: (value) => BigInt(value as string) }
/** SQLite has no NaN, so it stays a text. */
const real: SqliteType = {
  sqlType: 'REAL',
  convert: (value) => (value === 'NaN' ? value : Number(value)),
}

/** Others are texts; those with parts are JSON. */
const TYPES: Readonly<Record<string, SqliteType>> = {
  Boolean: { sqlType: 'INTEGER', convert: Number },
  Byte: whole,
  Short: whole,
  Integer: whole,
  Long: whole,
  Float: real,
  Double: real,
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
