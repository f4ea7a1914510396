/**
 * Keeps what a connection has read, as long as no other connection commits. Only for connections that
 * write nothing themselves.
 */
import type { ArrayStatement, StatementCache } from './statement-cache.ts'

/** When there are this many values, all are forgotten. Most stores have few. */
const MAX_VALUES = 1000

export class KnownUntilCommit<Value> {
  readonly #statements: StatementCache
  readonly #values = new Map<string, Value>()
  #version: ArrayStatement | undefined
  #knownVersion: unknown

  constructor(statements: StatementCache) {
    this.#statements = statements
  }

  /** Returns the value of a key, and reads it if it may have changed. */
  find(key: string, read: () => Value): Value {
    // Changes with every commit of another connection. It is read before the value: if a commit
    // happens in between, the value is read again next time.
    this.#version ??= this.#statements.prepare('PRAGMA data_version')
    const version = this.#version.get()?.[0]
    if (version !== this.#knownVersion || this.#values.size === MAX_VALUES) {
      this.#values.clear()
      this.#knownVersion = version
    }
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const value = read()
    this.#values.set(key, value)
    return value
  }
}
