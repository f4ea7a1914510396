/** The entry point of a compute thread, which answers questions one after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { Bits } from '../arrays/bits.ts'
import { type Closings, type OnUse, type Part, Segment } from '../segment/segment.ts'
import type { SharedSegment, TableAt } from '../table/shared-segment.ts'
import { answerQuestion, type OpenTable } from './answer-question.ts'
import { HELD_KB, STEPS, type ThreadData } from './answering-thread.ts'
import { DroppedBuffers } from './dropped-buffers.ts'
import { type Question, refusalOf, type Unavailable } from './messages.ts'
import { QuestionMemory, TooMuchMemory } from './question-memory.ts'

export interface ComputePlace {
  /** The number of the question that is cancelled, in the place of each thread. */
  readonly cancelled: Int32Array
  readonly place: number
  /** The memory for columns, and what one question may take of it. */
  readonly maxBytes: number
  readonly maxQuestionBytes: number
}

type ComputeThreadData = ComputePlace & ThreadData

/** Dispatcher to compute thread. */
export type ComputeMessage = SegmentChange | ComputeRequest

export interface SegmentChange {
  readonly open?: readonly SharedSegment[]
  /** Segments that nobody needs any more. */
  readonly close?: readonly number[]
  /** Arrays of a segment that were read from its file, by their offset. */
  readonly read?: { readonly id: number; readonly arrays: ReadonlyMap<number, SharedArrayBuffer> }
  readonly evicted?: readonly EvictedArray[]
}

export interface EvictedArray {
  readonly id: number
  readonly offset: number
}

interface ComputeRequest {
  readonly id: number
  readonly question: Question
  /** By the RID of the type. */
  readonly tables: ReadonlyMap<string, TableAt>
}

/** The outcome of a question. */
export type Computed =
  | { readonly answer: unknown }
  | { readonly unavailable: Unavailable }
  | { readonly refused: ReturnType<typeof refusalOf> }

/** Compute thread to dispatcher. */
export interface ComputeReply {
  /** Undefined if a part has to be read first, the last one that was used. */
  readonly computed: Computed | undefined
  /** The parts that were used, by the RID of the type. */
  readonly used: ReadonlyMap<string, ReadonlySet<Part>>
}

class Cancelled extends Error {}
class NotRead extends Error {}

/** The segments that the thread has opened, and how it answers from them. */
class Computer {
  readonly #data: ComputeThreadData
  readonly #segments = new Map<number, OpenSegment>()
  readonly #dropped: DroppedBuffers
  readonly #memory: QuestionMemory

  constructor(data: ComputeThreadData) {
    const { maxBytes, maxQuestionBytes, progress } = data
    this.#data = data
    this.#dropped = new DroppedBuffers(maxBytes)
    this.#memory = new QuestionMemory(maxQuestionBytes, (bytes) => {
      Atomics.store(progress, HELD_KB, bytes >>> 10)
    })
  }

  change({ open = [], close = [], read, evicted = [] }: SegmentChange): void {
    for (const id of close) {
      this.#dropped.add(this.#segments.get(id)?.bytes ?? 0)
      this.#segments.delete(id)
    }
    for (const segment of open) this.#segments.set(segment.id, new OpenSegment(segment))
    if (read !== undefined) this.#segments.get(read.id)?.addArrays(read.arrays)
    for (const { id, offset } of evicted) {
      this.#dropped.add(this.#segments.get(id)?.evict(offset) ?? 0)
    }
  }

  compute(request: ComputeRequest): ComputeReply {
    const used = new Map<string, Set<Part>>()
    return { computed: this.#compute(request, used), used }
  }

  /** Called when nothing refers any more to what the last question took. */
  rest(): void {
    this.#memory.end()
  }

  #compute(
    { id, question, tables }: ComputeRequest,
    used: Map<string, Set<Part>>,
  ): Computed | undefined {
    const { cancelled, place, progress } = this.#data
    const onChunk = () => {
      Atomics.add(progress, STEPS, 1)
      if (Atomics.load(cancelled, place) === id) throw new Cancelled()
      this.#memory.look()
    }
    try {
      const opened = new Map(
        [...tables].map(([rid, table]) => {
          const parts = new Set<Part>()
          used.set(rid, parts)
          return [rid, this.#open(table, parts)]
        }),
      )
      const answer = answerQuestion(question, { tables: opened, onChunk })
      return answer === undefined ? { unavailable: { reason: 'unsupported' } } : { answer }
    } catch (error) {
      if (error instanceof NotRead) return undefined
      if (error instanceof Cancelled) return { unavailable: { reason: 'cancelled' } }
      if (error instanceof TooMuchMemory) return { unavailable: { reason: 'tooLarge' } }
      if (error instanceof ObjectQueryError) return { refused: refusalOf(error) }
      throw error
    }
  }

  #open({ segments: parts, ...table }: TableAt, used: Set<Part>): OpenTable {
    const onUse: OnUse = (part, isRead) => {
      used.add(part)
      if (!isRead) throw new NotRead(part)
    }
    const opened = parts.map(({ id, closings }) => {
      const open = this.#segments.get(id)
      if (open === undefined) throw new Error(`segment ${id} was not opened`)
      open.segment.onUse = onUse
      return { segment: open.segment, visible: open.visibleAt(table.version, closings) }
    })
    return {
      ...table,
      segments: opened.map(({ segment }) => segment),
      visible: opened.map(({ visible }) => visible),
    }
  }
}

/** A segment, with the rows that were visible when it was last used: most versions are read often. */
class OpenSegment {
  readonly segment: Segment
  /** The arrays of a segment in a file that are in memory. */
  readonly #arrays = new Map<number, SharedArrayBuffer>()
  readonly #imageBytes: number
  #last: { readonly version: number; readonly closed: number; readonly bits: Bits } | undefined

  constructor({ image, place }: SharedSegment) {
    const isWhole = image instanceof SharedArrayBuffer
    if (!isWhole) this.addArrays(image)
    this.#imageBytes = isWhole ? image.byteLength : 0
    this.segment = new Segment(isWhole ? image : this.#arrays, place)
  }

  get bytes(): number {
    const arrays = this.#arrays.values()
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, this.#imageBytes)
  }

  addArrays(arrays: ReadonlyMap<number, SharedArrayBuffer>): void {
    for (const [offset, array] of arrays) this.#arrays.set(offset, array)
  }

  /** Drops an array, and returns its bytes. */
  evict(offset: number): number {
    const bytes = this.#arrays.get(offset)?.byteLength ?? 0
    this.#arrays.delete(offset)
    this.segment.close()
    return bytes
  }

  visibleAt(version: number, closings: Closings): Bits {
    const closed = closings.positions.length
    const last = this.#last
    if (last !== undefined && last.version === version && last.closed === closed) return last.bits
    const bits = this.segment.visibleAt(version, closings)
    this.#last = { version, closed, bits }
    return bits
  }
}

const computer = new Computer(workerData as ComputeThreadData)
parentPort?.on('message', (message: ComputeMessage) => {
  if (!('question' in message)) computer.change(message)
  else {
    parentPort?.postMessage(computer.compute(message))
    setImmediate(() => computer.rest())
  }
})
