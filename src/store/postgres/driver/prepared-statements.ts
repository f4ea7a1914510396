/**
 * SQL texts in the form that PostgreSQL expects, and the statements that one connection has
 * prepared.
 */

/** The maximum number of prepared statements per connection; further ones run unprepared. */
const MAX_PREPARED = 500
/** The length of all their texts; longer ones run unprepared. */
const MAX_LENGTH = 1_000_000

export interface PreparedStatement {
  /** Unique on its connection only. */
  readonly name: string
  readonly text: string
}

/** The prepared statements of one connection, by their SQL. */
export class PreparedStatements {
  readonly #statements = new Map<string, PreparedStatement>()
  #length = 0

  /** Returns the statement to prepare; undefined if the connection has no room for another one. */
  findOrAdd(sql: string): PreparedStatement | undefined {
    const known = this.#statements.get(sql)
    const hasRoom = this.#statements.size < MAX_PREPARED && this.#length + sql.length <= MAX_LENGTH
    if (known !== undefined || !hasRoom) return known
    this.#length += sql.length
    const statement = { name: `oqs_${this.#statements.size}`, text: numberParameters(sql) }
    this.#statements.set(sql, statement)
    return statement
  }
}

/** Replaces each `?` by `$1`, `$2`, …; our SQL contains no other question marks. */
export function numberParameters(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => {
    count += 1
    return `$${count}`
  })
}
