/** Adds terms to the vocabulary in the database. */

import type { Steps } from '../../../ontology/pausable-work.ts'
import type { Statement } from '../../core/session/session.ts'
import { sortInTurns } from '../../sql/in-turns.ts'
import { arrayBytes } from '../catalogue/column-bytes.ts'
import { COPY_HEADER, COPY_TRAILER, CopyBuffer, chunksOfBytes } from '../driver/copy-buffer.ts'
import type { WriteSession } from '../driver/database.ts'
import { isUniqueViolation } from '../driver/store-failure.ts'

/** Some terms for one of the tables of terms. */
export interface TermPart {
  readonly table: 'oqs_term' | 'oqs_long_term'
  readonly count: number
  /** An array in binary form, which the driver sends like any bytes. */
  readonly terms: Uint8Array<ArrayBuffer>
}

/** Fewer terms are added by one statement, which takes fewer round trips. */
const MANY_TERMS = 1000

/**
 * Adds sorted terms: in the same order everywhere, so that concurrent writers cannot deadlock. Many
 * terms are compared with those that exist, and the others are copied, which takes half of the CPU
 * time of `ON CONFLICT`. If another writer adds one of them meanwhile, the copied terms are rolled
 * back and all are inserted with `ON CONFLICT`, which waits for the other writer; `parts` is then
 * called a second time.
 */
export async function saveTerms(
  session: WriteSession,
  count: number,
  parts: () => Iterable<TermPart>,
): Promise<void> {
  if (count >= MANY_TERMS && (await copyParts(session, parts))) return
  for (const part of parts()) await insertMissing(session, part)
}

/** Returns false, and changes nothing, if another writer adds the same terms. */
async function copyParts(session: WriteSession, parts: () => Iterable<TermPart>): Promise<boolean> {
  await session.query('SAVEPOINT terms')
  try {
    for (const part of parts()) {
      // Long terms are rare, and are indexed only by their hash.
      if (part.table === 'oqs_long_term') await insertMissing(session, part)
      else await copyMissing(session, part)
    }
    await session.query('RELEASE SAVEPOINT terms')
    return true
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    await session.query('ROLLBACK TO SAVEPOINT terms')
    return false
  }
}

async function insertMissing(session: WriteSession, part: TermPart): Promise<void> {
  const { sql, parameters } = insertionOf(part)
  await session.run(sql, parameters, { isPrepared: true })
}

function insertionOf({ table, terms }: TermPart): Statement {
  const sql = `INSERT INTO ${table} (term) SELECT unnest(?::text[]) ON CONFLICT DO NOTHING`
  return { sql, parameters: [terms] }
}

async function copyMissing(session: WriteSession, { table, terms }: TermPart): Promise<void> {
  const found = await session.queryBytes(
    `SELECT term FROM ${table} WHERE term = ANY(?::text[])`,
    [terms],
    { inTurns: true },
  )
  const rows = encodeNewTerms(terms, new Set(found.map(([term]) => term?.toString(KEY_ENCODING))))
  if (rows === undefined) return
  await session.copyIn(`COPY ${table} (term) FROM STDIN (FORMAT binary)`, chunksOfBytes(rows))
}

/** Bytes are compared as texts of one character for each byte, which costs least. */
const KEY_ENCODING = 'latin1'
/** The bytes of an array before its first element. */
const ARRAY_HEAD_BYTES = 20

/** Returns the rows of the terms that are not known; undefined if there are none. */
function encodeNewTerms(
  { buffer, byteOffset, length }: Uint8Array<ArrayBuffer>,
  known: ReadonlySet<string | undefined>,
): Uint8Array | undefined {
  const array = Buffer.from(buffer, byteOffset, length)
  const rows = new CopyBuffer(2 * length)
  rows.addBytes(COPY_HEADER)
  for (let at = ARRAY_HEAD_BYTES; at < length; ) {
    const start = at + 4
    const end = start + array.readInt32BE(at)
    if (known.size === 0 || !known.has(array.toString(KEY_ENCODING, start, end))) {
      rows.addInt16(1)
      rows.addBytes(array.subarray(at, end))
    }
    at = end
  }
  if (rows.length === COPY_HEADER.length) return undefined
  rows.addBytes(COPY_TRAILER)
  return rows.bytes()
}

/** Below the limit of a B-tree index. Longer terms have a table without one. */
const MAX_INDEXED_BYTES = 2000

/** Collects the terms of a batch for the vocabulary, in which fuzzy conditions find similar terms. */
export class Vocabulary {
  readonly #terms = new Set<string>()

  add(term: string): void {
    this.#terms.add(term)
  }

  *addInSteps(terms: ReadonlySet<string>): Steps<void> {
    let added = 0
    for (const term of terms) {
      this.#terms.add(term)
      added += 1
      if (added % TERMS_PER_STATEMENT === 0) yield
    }
  }

  async save(session: WriteSession): Promise<void> {
    const terms = await sortInTurns([...this.#terms], (term) => term)
    await saveTerms(session, terms.length, () => partsOf(terms))
  }

  /** Saves the terms, at the end of the transaction unless there are many. */
  async saveLast(session: WriteSession): Promise<void> {
    if (this.#terms.size >= MANY_TERMS) await this.save(session)
    else session.runLast([...this.parts()].map(insertionOf))
  }

  /** Returns the terms in parts, to be saved in this order. */
  parts(): Iterable<TermPart> {
    return partsOf([...this.#terms].sort())
  }
}

/** Divides sorted terms into statements, because each list of terms is encoded synchronously. */
function* partsOf(terms: readonly string[]): Generator<TermPart> {
  for (let at = 0; at < terms.length; at += TERMS_PER_STATEMENT) {
    const part = Map.groupBy(terms.slice(at, at + TERMS_PER_STATEMENT), tableOf)
    for (const table of ['oqs_term', 'oqs_long_term'] as const) {
      const tableTerms = part.get(table)
      if (tableTerms === undefined) continue
      yield { table, count: tableTerms.length, terms: arrayBytes('text', tableTerms) }
    }
  }
}

const TERMS_PER_STATEMENT = 10_000

function tableOf(term: string): 'oqs_term' | 'oqs_long_term' {
  // UTF-8 takes at most three bytes for each UTF-16 code unit.
  const isShort = 3 * term.length <= MAX_INDEXED_BYTES
  return isShort || Buffer.byteLength(term) <= MAX_INDEXED_BYTES ? 'oqs_term' : 'oqs_long_term'
}
