/**
 * Reads the body of a batch. A small one is parsed here: sending it to a thread would cost more than
 * that. The bytes of a large one are moved to a thread, which returns changes that are ready for the
 * store. The body is not read further while a thread works on it.
 */
import type { Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { MemoryReservation } from '../../admission/request-memory.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Creation } from '../../ontology/values/read-object.ts'
import type { Change, ChangePart } from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { BatchOfLoad, BatchParsers, OpenBatch } from './batch-parsers.ts'
import { ChangeReader, changeMakers } from './change-reader.ts'

/** A batch up to this size is parsed on the main thread, which takes up to a millisecond. */
const SMALL_BATCH_BYTES = 32 * 1024
/** The bytes that a thread parses at once, which takes a few milliseconds. */
const BLOCK_BYTES = 128 * 1024
/** The bytes of a small batch that are parsed in one turn. */
const TURN_BYTES = 8 * 1024
/** The memory of each byte of a body until its objects are written; measured. */
export const MEMORY_PER_BYTE = 5
/** The memory of a change until it is written; measured. */
export const MEMORY_PER_CHANGE = 2000

export interface BatchBody {
  readonly body: Readable
  readonly objectType: ObjectType
  readonly context: ServiceContext
  readonly memory: MemoryReservation
  /** Collects the bytes of the body, if anything needs their digest. */
  readonly digest: Hash | undefined
  readonly creation: Creation
  /** Whether changes are only checked. */
  readonly dryRun: boolean
  /** The load whose columns are built from the batch. */
  readonly load?: BatchOfLoad | undefined
}

type BatchServices = Pick<ServiceParts, 'admission'> & { readonly batchParsers: BatchParsers }

/** Yields the changes of a batch. Throws `InvalidBatchLine` if any line is invalid. */
export async function* readBatch(
  batch: BatchBody,
  services: BatchServices,
): AsyncGenerator<ChangePart> {
  using parts = new DisposableStack()
  const { objectType, context, memory, creation, dryRun: isDryRun, load } = batch
  let open: OpenBatch | undefined
  for await (const { bytes, isLast } of blocksOf(batch, services)) {
    const isSmall = isLast && bytes.length <= SMALL_BATCH_BYTES
    if (open === undefined && isSmall && load === undefined) {
      yield* readSmallBatch(bytes, batch, services)
      return
    }
    const owner = { callerId: context.callerId, signal: context.signal() }
    const options = { creation, isDryRun, load }
    open ??= parts.use(await services.batchParsers.open(objectType, owner, options))
    const parsed = await open.parse(bytes, isLast)
    memory.grow(parsed.count * MEMORY_PER_CHANGE)
    yield* parsed.parts
  }
}

async function* readSmallBatch(
  bytes: Uint8Array,
  { objectType, context, memory, creation }: BatchBody,
  { admission }: BatchServices,
): AsyncGenerator<readonly Change[]> {
  const reader = new ChangeReader(objectType, changeMakers(objectType, creation))
  for (let at = 0; at < bytes.length; at += TURN_BYTES) {
    if (at > 0) await admission.takeTurn(context.callerId)
    const changes = reader.take(bytes.subarray(at, at + TURN_BYTES))
    memory.grow(changes.length * MEMORY_PER_CHANGE)
    yield changes
  }
  yield reader.end()
}

interface Block {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** Yields the body in blocks, and gives other callers their turn in between. */
async function* blocksOf(
  { body, digest, context, memory }: BatchBody,
  { admission }: BatchServices,
): AsyncGenerator<Block> {
  const builder = new BlockBuilder(BLOCK_BYTES)
  // The stream must survive an error: destroying it would close the connection before the client
  // reads the response. The rest of the batch is discarded after the response.
  const chunks: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    memory.grow(chunk.length * MEMORY_PER_BYTE)
    await admission.takeTurn(context.callerId)
    digest?.update(chunk)
    for (const bytes of builder.add(chunk)) yield { bytes, isLast: false }
    freeChunk(chunk)
  }
  yield { bytes: builder.take(), isLast: true }
}

/**
 * Frees the memory of a chunk, which nothing else may hold. Otherwise up to 32 MB would wait for the
 * garbage collector.
 */
function freeChunk({ buffer, length }: Uint8Array): void {
  // Node allocates small buffers from a block that others share, which must stay.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

/*
 * Collects chunks into blocks of a fixed size, each with a buffer of its own that can be moved to
 * another thread. The bytes are copied, because a chunk may share its memory with others.
 */

class BlockBuilder {
  readonly #blockBytes: number
  #block = new Uint8Array(0)
  #length = 0

  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes
  }

  /** Yields the blocks that a chunk completes. */
  *add(chunk: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + this.#blockBytes - this.#length)
      this.#reserve(this.#length + piece.length)
      this.#block.set(piece, this.#length)
      this.#length += piece.length
      at += piece.length
      if (this.#length === this.#blockBytes) yield this.take()
    }
  }

  /** Returns the bytes that are left, and starts a new block. */
  take(): Uint8Array {
    const bytes = this.#block.subarray(0, this.#length)
    this.#block = new Uint8Array(0)
    this.#length = 0
    return bytes
  }

  #reserve(needed: number): void {
    if (needed <= this.#block.length) return
    const doubled = Math.min(this.#blockBytes, Math.max(needed, 2 * this.#block.length))
    const block = new Uint8Array(doubled)
    block.set(this.#block.subarray(0, this.#length))
    this.#block = block
  }
}
