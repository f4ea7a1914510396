/**
 * Reads transactions of a source as their bytes arrive. Each line has one member: `objectType` names
 * the type of the changes that follow, `put` and `delete` are changes as in a batch, and `commit` ends
 * a transaction and states its position.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import { TRANSACTIONS_MAX_BYTES, TRANSACTIONS_MAX_CHANGES } from '../../contract/limits.ts'
import { isBlank, LineSplitter, type SplitLine } from '../../formats/lines.ts'
import { isUnreadable } from '../../formats/row.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { constraintViolated } from '../../ontology/values/constraint-violated.ts'
import {
  type Creation,
  type ObjectReader,
  objectReader,
  RefusedObject,
  readObjectKey,
  ViolatingObject,
} from '../../ontology/values/read-object.ts'
import type { Change, SourceTransaction } from '../../store/object-store.ts'
import { readMember } from './change-reader.ts'

const MEMBERS = {
  names: ['objectType', 'put', 'delete', 'commit'],
  reason: 'has not exactly one of the members objectType, put, delete and commit',
} as const
const POSITION = /^[\x21-\x7e]{1,100}$/

interface ReadType {
  readonly objectType: ObjectType
  readonly readObject: ObjectReader
}

export class TransactionReader {
  /** The complete transactions. */
  readonly transactions: SourceTransaction[] = []
  readonly #resolve: (apiName: string) => ObjectType
  readonly #creation: Creation
  readonly #splitter = new LineSplitter(TRANSACTIONS_MAX_BYTES)
  readonly #types = new Map<string, ReadType>()
  #batches = new Map<ObjectType, Change[]>()
  #type: ReadType | undefined
  /** The number of the last line. */
  #line = 0
  #bytes = 0
  #count = 0

  /** Resolves the name of a type whose objects the caller may write. */
  constructor(resolve: (apiName: string) => ObjectType, creation: Creation) {
    this.#resolve = resolve
    this.#creation = creation
  }

  /** Returns the number of changes that were read. */
  take(bytes: Uint8Array): number {
    this.#bytes += bytes.length
    if (this.#bytes > TRANSACTIONS_MAX_BYTES) {
      const maxBytes = TRANSACTIONS_MAX_BYTES
      throw new ObjectQueryError('Default:RequestEntityTooLarge', { maxBytes })
    }
    const before = this.#count
    for (const line of this.#splitter.take(bytes)) this.#readLine(line)
    return this.#count - before
  }

  end(): void {
    const last = this.#splitter.end()
    if (last !== undefined) this.#readLine(last)
    if (this.#batches.size > 0) {
      throw invalidLine(this.#line + 1, 'is missing: {"commit": position} must end a transaction')
    }
  }

  #readLine(line: SplitLine): void {
    if (isUnreadable(line)) throw invalidLine(line.line, line.reason)
    const { number, text } = line
    this.#line = number
    if (isBlank(text)) return
    const [name, value] = readMember(text, MEMBERS)
    switch (name) {
      case 'objectType':
        this.#type = this.#typeOf(String(value))
        return
      case 'put':
      case 'delete':
        this.#addChange(number, name, value)
        return
      case 'commit':
        this.#commit(number, value)
        return
      case 'invalid':
        throw invalidLine(number, String(value))
    }
  }

  #typeOf(apiName: string): ReadType {
    const known = this.#types.get(apiName)
    if (known !== undefined) return known
    const objectType = this.#resolve(apiName)
    const type = { objectType, readObject: objectReader(objectType) }
    this.#types.set(apiName, type)
    return type
  }

  #addChange(line: number, kind: 'put' | 'delete', value: unknown): void {
    if (this.#type === undefined) throw invalidLine(line, 'has no {"objectType": name} before it')
    const { objectType, readObject } = this.#type
    this.#count += 1
    if (this.#count > TRANSACTIONS_MAX_CHANGES) {
      const maxChanges = TRANSACTIONS_MAX_CHANGES
      throw new ObjectQueryError('Default:RequestEntityTooLarge', { maxChanges })
    }
    try {
      const change =
        kind === 'put'
          ? { put: readObject(value, this.#creation) }
          : { delete: readObjectKey(objectType, value).pk }
      const batch = this.#batches.get(objectType)
      if (batch === undefined) this.#batches.set(objectType, [change])
      else batch.push(change)
    } catch (error) {
      if (error instanceof ViolatingObject) {
        throw constraintViolated(objectType.apiName, [{ object: error, line }])
      }
      if (!(error instanceof RefusedObject)) throw error
      throw invalidLine(line, error.reason, error.property)
    }
  }

  #commit(line: number, position: unknown): void {
    if (typeof position !== 'string' || !POSITION.test(position)) {
      throw invalidLine(line, 'has no position: 1 to 100 visible ASCII characters')
    }
    const last = this.transactions.at(-1)?.position ?? ''
    if (position <= last)
      throw invalidLine(line, 'has a position that does not sort behind the last')
    const batches = Array.from(this.#batches, ([objectType, changes]) => ({ objectType, changes }))
    this.transactions.push({ position, batches })
    this.#batches = new Map()
  }
}

function invalidLine(line: number, reason: string, property?: string): ObjectQueryError {
  const invalid = property === undefined ? { line, reason } : { line, property, reason }
  return new ObjectQueryError('InvalidBatchLine', { ...invalid, refused: [invalid] })
}
