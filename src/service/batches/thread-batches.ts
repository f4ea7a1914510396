/** The batches that a thread parses, and the object types that it knows. */
import { randomUUID } from 'node:crypto'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { CreationFacts } from '../../ontology/values/read-object.ts'
import {
  type Change,
  type ChangeEncoder,
  type ColumnLoad,
  type CreateEncoder,
  FEW_CHANGES,
  FEW_CHANGES_LENGTH,
  isEncoded,
  type LoadedColumns,
} from '../../store/object-store.ts'
import { sentError } from '../thread-errors.ts'
import { ChangeReader, changeMakers } from './change-reader.ts'
import type {
  EndLoadMessage,
  OpenedBatch,
  ParsedBytes,
  ParseMessage,
  ParserReply,
} from './parser-messages.ts'

/**
 * Bytes that are parsed and then encoded together. The garbage collector copies what exists at once:
 * with blocks of 128 kB it took a third of the CPU time of this thread.
 */
const PARSED_BYTES = 16 * 1024

class BatchParsing {
  readonly #reader: ChangeReader<Change>
  readonly #encoder: ChangeEncoder | undefined
  readonly #load: ThreadLoad | undefined
  /** The changes so far, while they are few; undefined since they are encoded. */
  #few: Change[] | undefined = []
  #bytes = 0

  /** Without an encoder, changes are only checked. */
  constructor(
    objectType: ObjectType,
    creation: CreationFacts,
    encoder: ChangeEncoder | undefined,
    load: ThreadLoad | undefined,
  ) {
    const makers = changeMakers(objectType, { ...creation, newUuid: randomUUID })
    this.#reader = new ChangeReader(objectType, makers)
    this.#encoder = encoder
    this.#load = load
  }

  take(bytes: Uint8Array, isLast: boolean): ParsedBytes {
    this.#bytes += bytes.length
    const changes = this.#read(bytes, isLast)
    if (this.#encoder === undefined) return { count: countOf(changes), parts: [] }
    if (this.#few === undefined) return this.#encode(changes, isLast, this.#encoder)
    const before = this.#few.length
    const few = [...this.#few, ...changes]
    const count = few.length - before
    this.#few = few
    if (few.length <= FEW_CHANGES && this.#bytes <= FEW_CHANGES_LENGTH) {
      return { count, parts: isLast ? [few.map(toPlain)] : [] }
    }
    this.#few = undefined
    return { ...this.#encode(few, isLast, this.#encoder), count }
  }

  /** Yields the changes of a block, of which only a part exists at once. */
  *#read(bytes: Uint8Array, isLast: boolean): Generator<Change> {
    for (let at = 0; at < bytes.length; at += PARSED_BYTES) {
      yield* this.#noted(this.#reader.take(bytes.subarray(at, at + PARSED_BYTES)))
    }
    if (isLast) yield* this.#noted(this.#reader.end())
  }

  #noted(changes: readonly Change[]): readonly Change[] {
    this.#load?.add(changes)
    return changes
  }

  #encode(changes: Iterable<Change>, isLast: boolean, encoder: ChangeEncoder): ParsedBytes {
    const encoded = encoder.encode(changes)
    const parts = encoded.count === 0 ? [] : [encoded]
    return { count: encoded.count, parts: isLast ? [...parts, ...encoder.finish()] : parts }
  }
}

/** Reads what a sent object would lose: texts that are computed when a store asks for them. */
function toPlain(change: Change): Change {
  if (!('put' in change)) return change
  const { columns, elements, texts, points } = change.put.searchable
  return { put: { ...change.put, searchable: { columns, elements, texts, points } } }
}

function countOf(changes: Iterable<unknown>): number {
  let count = 0
  for (const _ of changes) count += 1
  return count
}

export type OpenLoad = (objectType: ObjectType) => ColumnLoad

/** The columns of a load. What fails here is built later, and never fails the load. */
class ThreadLoad {
  readonly #objectType: ObjectType
  #columns: ColumnLoad | undefined

  constructor(objectType: ObjectType, columns: ColumnLoad) {
    this.#objectType = objectType
    this.#columns = columns
  }

  /** Drops the columns if a batch has objects of another definition: their values are elsewhere. */
  expect(objectType: ObjectType): void {
    if (objectType !== this.#objectType) this.drop()
  }

  add(changes: readonly Change[]): void {
    try {
      for (const change of changes) {
        if ('put' in change) this.#columns?.add(change.put)
        else this.drop()
      }
    } catch {
      this.drop()
    }
  }

  finish(): LoadedColumns | undefined {
    try {
      return this.#columns?.finish()
    } catch {
      return undefined
    } finally {
      this.drop()
    }
  }

  drop(): void {
    this.#columns?.[Symbol.dispose]()
    this.#columns = undefined
  }
}

export interface Answer {
  readonly reply: ParserReply
  /** The buffers to move instead of copying them. */
  readonly transfer: readonly ArrayBuffer[]
}

export class ThreadBatches {
  readonly #createEncoder: CreateEncoder
  readonly #objectTypes = new Map<number, ObjectType>()
  readonly #batches = new Map<number, BatchParsing>()

  readonly #openLoad: OpenLoad | undefined
  readonly #loads = new Map<string, ThreadLoad>()

  constructor(createEncoder: CreateEncoder, openLoad?: OpenLoad) {
    this.#createEncoder = createEncoder
    this.#openLoad = openLoad
  }

  answer(message: ParseMessage): Answer {
    const { batch } = message
    try {
      const parsed = this.#parse(message)
      const transfer = parsed.parts.flatMap((part) => (isEncoded(part) ? part.transfer : []))
      return { reply: { batch, parsed }, transfer }
    } catch (error) {
      this.close(batch)
      return { reply: { batch, ...sentError(error) }, transfer: [] }
    }
  }

  endLoad({ batch, ended, isDropped }: EndLoadMessage): ParserReply {
    const load = this.#loads.get(ended)
    this.#loads.delete(ended)
    if (isDropped) load?.drop()
    return { batch, loaded: load?.finish() }
  }

  close(batch: number): void {
    this.#batches.delete(batch)
  }

  #parse({ batch, opened, bytes, isLast }: ParseMessage): ParsedBytes {
    if (opened !== undefined) this.#batches.set(batch, this.#open(opened))
    const parsing = this.#batches.get(batch)
    if (parsing === undefined) throw new Error(`no batch with the number ${batch}`)
    if (isLast) this.close(batch)
    try {
      return parsing.take(bytes, isLast)
    } finally {
      // If they were left to the garbage collector, it would run after every few blocks.
      ;(bytes.buffer as ArrayBuffer).transfer(0)
    }
  }

  #open({ type, objectType: sent, creation, encoding, evicted, load }: OpenedBatch): BatchParsing {
    for (const old of evicted) this.#objectTypes.delete(old)
    if (sent !== undefined) this.#objectTypes.set(type, sent)
    const objectType = this.#objectTypes.get(type)
    if (objectType === undefined) throw new Error(`no object type with the number ${type}`)
    const encoder = encoding && this.#createEncoder(objectType, encoding.options)
    const columns = load === undefined ? undefined : this.#loadOf(load, objectType)
    return new BatchParsing(objectType, creation, encoder, columns)
  }

  #loadOf(name: string, objectType: ObjectType): ThreadLoad | undefined {
    const known = this.#loads.get(name)
    known?.expect(objectType)
    if (known !== undefined || this.#openLoad === undefined) return known
    const load = new ThreadLoad(objectType, this.#openLoad(objectType))
    this.#loads.set(name, load)
    return load
  }
}
