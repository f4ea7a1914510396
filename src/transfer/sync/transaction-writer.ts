/**
 * Writes source transactions: one commit per object type and transaction. The idempotency key of the
 * commit names the position in the source and is stored with the commit, so a transaction that the
 * source sends again after a crash is recognised and not applied twice.
 */
import { newIdempotencyKey } from '../../client/connection.ts'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { batchesOf } from '../../client/object-editor.ts'
import { OqsError } from '../../client/oqs-error.ts'
import { exportObjects } from '../../client/query/export-objects.ts'
import { BATCH_MAX_BYTES, BATCH_MAX_CHANGES } from '../../contract/limits.ts'
import { formatLsn } from './lsn.ts'
import type { SourceTransaction, TypeChanges } from './source-transaction.ts'
import { keyText } from './table-mapping.ts'
import { readUnchanged } from './unchanged-values.ts'

type Properties = Readonly<Record<string, unknown>>

export interface WriterOptions {
  readonly ontology: string
  /** Names the source and the slot; the same after a restart. */
  readonly origin: string
  /** Transactions behind this position are new: no earlier run can have written them. */
  readonly newFrom: bigint
  readonly onNote: (text: string) => void
}

export class TransactionWriter {
  readonly #endpoints: Endpoints
  readonly #options: WriterOptions
  /** The last position that was tried, by object type. */
  readonly #tried = new Map<string, bigint>()
  /** Types to which this process has written something that no earlier one had. */
  readonly #written = new Set<string>()

  constructor(endpoints: Endpoints, options: WriterOptions) {
    this.#endpoints = endpoints
    this.#options = options
  }

  async write(transaction: SourceTransaction, endLsn: bigint): Promise<void> {
    await Promise.all(transaction.types.map((changes) => this.#writeType(changes, endLsn)))
  }

  async #writeType(changes: TypeChanges, endLsn: bigint): Promise<void> {
    const { objectType, table } = changes.mapping
    const { ontology, origin, newFrom, onNote } = this.#options
    const type = { ontology, objectType }
    const objects = await readUnchanged(this.#endpoints, type, changes, onNote)
    const key = `${origin}@${formatLsn(endLsn)}#${table.oid}`
    const isRetry = this.#tried.get(objectType) === endLsn
    this.#tried.set(objectType, endLsn)
    const isRepeated = await this.#send(type, changes, objects, key)
    if (!isRepeated) {
      this.#written.add(objectType)
      return
    }
    // An earlier transaction was written again, because its key had expired, and has undone this one.
    if (endLsn <= newFrom && this.#written.has(objectType) && !isRetry) {
      await this.#send(type, changes, objects, newIdempotencyKey())
    }
  }

  /** Returns whether the changes had been written before under the same key. */
  async #send(
    type: TypePath,
    changes: TypeChanges,
    objects: ReadonlyMap<string, Properties | undefined>,
    key: string,
  ): Promise<boolean> {
    const lines: string[] = []
    let bytes = 0
    for (const [text, put] of changes.isTruncated ? [] : objects) {
      const change = put ? { put } : { delete: changes.objects.get(text)?.key.value }
      const line = JSON.stringify(change)
      lines.push(line)
      bytes += Buffer.byteLength(line) + 1
    }
    if (changes.isTruncated || lines.length > BATCH_MAX_CHANGES || bytes > BATCH_MAX_BYTES) {
      return this.#replace(type, changes, objects, key)
    }
    try {
      return await this.#endpoints.administration.writeOnce(type, lines.join('\n'), key)
    } catch (error) {
      // Unchanged values were read from a later state of the object, so the request differs.
      if (isNamed(error, 'IdempotencyKeyReused')) return true
      throw error
    }
  }

  /** Writes changes that no batch can hold: all objects of the type are replaced in one commit. */
  async #replace(
    type: TypePath,
    changes: TypeChanges,
    objects: ReadonlyMap<string, Properties | undefined>,
    idempotencyKey: string,
  ): Promise<boolean> {
    const { administration } = this.#endpoints
    const replacement = await administration.startReplacement(type, { idempotencyKey })
    try {
      for await (const lines of batchesOf(this.#allObjects(type, changes, objects))) {
        await administration.writeObjects(type, lines, { replacement })
      }
      await administration.publishReplacement(type, replacement)
      return false
    } catch (error) {
      if (isNamed(error, 'ReplacementAlreadyPublished')) return true
      // The replacement of an earlier attempt has expired.
      if (isNamed(error, 'ReplacementNotFound')) {
        return this.#replace(type, changes, objects, newIdempotencyKey())
      }
      throw error
    }
  }

  /** Yields the objects of the type after the changes. */
  async *#allObjects(
    type: TypePath,
    { mapping, isTruncated }: TypeChanges,
    objects: ReadonlyMap<string, Properties | undefined>,
  ): AsyncGenerator<Properties> {
    for (const object of objects.values()) if (object !== undefined) yield object
    if (isTruncated) return
    const query = { where: undefined, select: undefined, signal: undefined }
    for await (const object of exportObjects<Properties>(this.#endpoints, type, query)) {
      if (!objects.has(keyText(object[mapping.primaryKey]))) yield object
    }
  }
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof OqsError && error.errorName === name
}
