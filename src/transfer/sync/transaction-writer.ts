/**
 * Writes source transactions. Those that wait are sent together: each is one commit over all its
 * types, and the service stores the position of the last one with them. A transaction that the source
 * sends again after a crash is behind that position, and skipped.
 */
import { newIdempotencyKey } from '../../client/connection.ts'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { batchesOf } from '../../client/object-editor.ts'
import { OqsError } from '../../client/oqs-error.ts'
import { exportObjects } from '../../client/query/export-objects.ts'
import {
  BATCH_MAX_BYTES,
  BATCH_MAX_CHANGES,
  TRANSACTIONS_MAX_BYTES,
  TRANSACTIONS_MAX_CHANGES,
} from '../../contract/limits.ts'
import { formatLsn } from './lsn.ts'
import { RowRefused, refusalOf, refusedObject } from './refused-rows.ts'
import type { SourceTransaction, TypeChanges } from './source-transaction.ts'
import { keyText } from './table-mapping.ts'
import { type CompleteObjects, completeObjects, type Properties } from './unchanged-values.ts'

export interface WriterOptions {
  readonly ontology: string
  /** Names the source and the slot; the same after a restart. */
  readonly origin: string
  readonly onNote: (text: string) => void
}

/** A transaction, or a position without changes. */
export interface WaitingTransaction {
  readonly transaction?: SourceTransaction
  readonly endLsn: bigint
}

/** The changes of one transaction to one type, as lines of a request. */
interface TypeLines {
  readonly changes: TypeChanges
  readonly objects: CompleteObjects
  readonly lines: readonly string[]
  readonly bytes: number
}

export class TransactionWriter {
  readonly #endpoints: Endpoints
  readonly #options: WriterOptions

  constructor(endpoints: Endpoints, options: WriterOptions) {
    this.#endpoints = endpoints
    this.#options = options
  }

  /** Returns the position behind the last transaction that was written. */
  async readPosition(): Promise<bigint> {
    const { position } = await this.#apply('\n')
    return position === '' ? 0n : BigInt(`0x${position}`)
  }

  /** Writes the first of some transactions, and returns how many of them. */
  async write(waiting: readonly WaitingTransaction[]): Promise<number> {
    const group = takeGroup(waiting)
    const transactions = group.map(({ transaction }) => transaction?.types ?? [])
    const { ontology, onNote } = this.#options
    const completed = await completeObjects(this.#endpoints, ontology, transactions, onNote)
    const encoded = transactions.map((types, index) =>
      types.map((changes, at) => toLines(changes, completed[index]?.[at] ?? new Map())),
    )
    const [first] = encoded
    const endLsn = group[0]?.endLsn ?? 0n
    if (first !== undefined && isLarge(first)) {
      await this.#writeLarge(first, endLsn)
      return 1
    }
    const count = countFitting(encoded)
    const lines = encoded.slice(0, count).flatMap((types, index) => {
      if (types.length === 0) return []
      return [...types.flatMap(linesOf), commitLine(group[index]?.endLsn ?? 0n)]
    })
    if (lines.length === 0) return count
    try {
      await this.#apply(lines.join('\n'))
      return count
    } catch (error) {
      if (refusalOf(error) === undefined) throw error
      // Those before the refused one are written alone.
      if (count > 1) return this.write(group.slice(0, 1))
      throw refusedRow(error, first ?? [])
    }
  }

  #apply(lines: string) {
    const { ontology, origin } = this.#options
    return this.#endpoints.administration.applyTransactions(ontology, origin, lines)
  }

  /** Writes a transaction that no request can hold: a commit for each type, then the position. */
  async #writeLarge(types: readonly TypeLines[], endLsn: bigint): Promise<void> {
    await Promise.all(types.map((type) => this.#writeType(type, endLsn)))
    await this.#apply(commitLine(endLsn))
  }

  async #writeType({ changes, objects, lines, bytes }: TypeLines, endLsn: bigint): Promise<void> {
    const { objectType, table } = changes.mapping
    const { ontology, origin } = this.#options
    const type = { ontology, objectType }
    const idempotencyKey = `${origin}@${formatLsn(endLsn)}#${table.oid}`
    if (changes.isTruncated || lines.length > BATCH_MAX_CHANGES || bytes > BATCH_MAX_BYTES) {
      await this.#replace(type, changes, objects, idempotencyKey)
      return
    }
    await this.#endpoints.administration
      .writeObjects(type, lines.join('\n'), { idempotencyKey })
      .catch((error: unknown) => {
        // Written before the last crash; unchanged values were read from a later state by now.
        if (isNamed(error, 'IdempotencyKeyReused')) return
        // A batch has no line with the name of the type.
        throw refusedRow(error, [{ changes, objects, lines, bytes }], 0)
      })
  }

  /** Replaces all objects of the type in one commit. */
  async #replace(
    type: TypePath,
    changes: TypeChanges,
    objects: CompleteObjects,
    idempotencyKey: string,
  ): Promise<void> {
    const { administration } = this.#endpoints
    const replacement = await administration.startReplacement(type, { idempotencyKey })
    try {
      for await (const lines of batchesOf(this.#allObjects(type, changes, objects))) {
        await administration
          .writeObjects(type, lines, { replacement })
          .catch((error) => Promise.reject(refusedObject(error, changes.mapping, lines)))
      }
      await administration.publishReplacement(type, replacement)
    } catch (error) {
      if (isNamed(error, 'ReplacementAlreadyPublished')) return
      // One that cannot be abandoned now expires.
      if (error instanceof RowRefused) {
        await administration.abandonReplacement(type, replacement).catch(() => {})
      }
      // The replacement of an earlier attempt was published, or has expired.
      if (!isNamed(error, 'ReplacementNotFound')) throw error
      await this.#replace(type, changes, objects, newIdempotencyKey())
    }
  }

  /** Yields the objects of the type after the changes. */
  async *#allObjects(
    type: TypePath,
    { mapping, isTruncated }: TypeChanges,
    objects: CompleteObjects,
  ): AsyncGenerator<Properties> {
    for (const object of objects.values()) if (object !== undefined) yield object
    if (isTruncated) return
    const query = { where: undefined, select: undefined, signal: undefined }
    for await (const object of exportObjects<Properties>(this.#endpoints, type, query)) {
      if (!objects.has(keyText(object[mapping.primaryKey]))) yield object
    }
  }
}

/** Takes transactions up to the number of changes of a request, at least one. */
function takeGroup(waiting: readonly WaitingTransaction[]): readonly WaitingTransaction[] {
  let changes = 0
  const end = waiting.findIndex(({ transaction }, index) => {
    changes += transaction?.size ?? 0
    return index > 0 && changes > TRANSACTIONS_MAX_CHANGES
  })
  return waiting.slice(0, end === -1 ? undefined : end)
}

function toLines(changes: TypeChanges, objects: CompleteObjects): TypeLines {
  const lines = [...objects].map(([text, put]) =>
    JSON.stringify(put ? { put } : { delete: changes.objects.get(text)?.key.value }),
  )
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  return { changes, objects, lines, bytes }
}

/** The bytes of the lines around the changes of a type. */
const FRAME_BYTES = 300

function bytesOf(types: readonly TypeLines[]): number {
  return types.reduce((sum, { bytes }) => sum + bytes + FRAME_BYTES, 0)
}

function isLarge(types: readonly TypeLines[]): boolean {
  const changes = types.reduce((sum, { lines }) => sum + lines.length, 0)
  return (
    types.some(({ changes: { isTruncated } }) => isTruncated) ||
    changes > TRANSACTIONS_MAX_CHANGES ||
    bytesOf(types) > TRANSACTIONS_MAX_BYTES
  )
}

/** Returns how many transactions fit into one request; the first one does. */
function countFitting(transactions: readonly (readonly TypeLines[])[]): number {
  let bytes = 0
  const end = transactions.findIndex((types) => {
    bytes += bytesOf(types)
    return isLarge(types) || bytes > TRANSACTIONS_MAX_BYTES
  })
  return end === -1 ? transactions.length : end
}

function linesOf({ changes, lines }: TypeLines): string[] {
  return [JSON.stringify({ objectType: changes.mapping.objectType }), ...lines]
}

/** Positions are compared as texts, so they all have the same length. */
function commitLine(endLsn: bigint): string {
  return JSON.stringify({ commit: endLsn.toString(16).padStart(16, '0') })
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof OqsError && error.errorName === name
}

/** Returns the error for a row that its type refuses, or the same if that is not why it was thrown. */
function refusedRow(
  error: unknown,
  types: readonly TypeLines[],
  /** The number of lines before the first change. */
  before = 1,
): unknown {
  const refusal = refusalOf(error)
  let at = before
  for (const { changes, objects, lines } of types) {
    const index = Number(refusal?.line) - at - 1
    const key = [...objects.keys()][index]
    if (refusal !== undefined && index >= 0 && key !== undefined) {
      return new RowRefused(changes.mapping, key, refusal)
    }
    at += lines.length + 1
  }
  return error
}
