import { createHash } from 'node:crypto'
import type { PoolClient } from 'pg'

/** SQL texts as PostgreSQL takes them, and which of them a connection prepares. */

interface NumberedSql {
  readonly text: string
  readonly hash: string
}

const NUMBERED_TEXTS = 2000
/** Longer ones are questions that nobody asks twice, and would take much room. */
const LONGEST_KEPT = 8192
const numberedTexts = new Map<string, NumberedSql>()

/** Question marks become the numbered parameters of PostgreSQL: no other ones stand in our SQL. */
export function numbered(sql: string): NumberedSql {
  const known = numberedTexts.get(sql)
  if (known !== undefined) return known
  let count = 0
  const text = sql.replaceAll('?', () => {
    count += 1
    return `$${count}`
  })
  const made = { text, hash: createHash('sha256').update(sql).digest('base64url').slice(0, 32) }
  if (sql.length > LONGEST_KEPT) return made
  if (numberedTexts.size >= NUMBERED_TEXTS) numberedTexts.clear()
  numberedTexts.set(sql, made)
  return made
}

const PREPARED_STATEMENTS = 500
/** A connection keeps what it has prepared; so many statements, then the others go unprepared. */
const preparedOn = new WeakMap<PoolClient, Set<string>>()

export function mayPrepare(client: PoolClient, name: string): boolean {
  let names = preparedOn.get(client)
  if (names === undefined) {
    names = new Set()
    preparedOn.set(client, names)
  }
  if (names.size < PREPARED_STATEMENTS) names.add(name)
  return names.has(name)
}
