/** The entry point of a compute thread, which answers questions one after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { Bits } from '../arrays/bits.ts'
import { type Closings, Segment } from '../segment/segment.ts'
import type { SharedSegment, TableAt } from '../table/shared-segment.ts'
import { answerQuestion, type OpenTable } from './answer-question.ts'
import type { ThreadData } from './answering-thread.ts'
import { DroppedBuffers } from './dropped-buffers.ts'
import { type Question, refusalOf, type Unavailable } from './messages.ts'

export interface ComputePlace {
  /** The number of the question that is cancelled, in the place of each thread. */
  readonly cancelled: Int32Array
  readonly place: number
}

type ComputeThreadData = ComputePlace & ThreadData

/** Dispatcher to compute thread. */
export type ComputeMessage = SegmentChange | ComputeRequest

interface SegmentChange {
  readonly open: readonly SharedSegment[]
  /** Segments that nobody needs any more. */
  readonly close: readonly number[]
}

interface ComputeRequest {
  readonly id: number
  readonly question: Question
  /** By the RID of the type. */
  readonly tables: ReadonlyMap<string, TableAt>
}

/** Compute thread to dispatcher: the outcome of a question. */
export type Computed =
  | { readonly answer: unknown }
  | { readonly unavailable: Unavailable }
  | { readonly refused: ReturnType<typeof refusalOf> }

class Cancelled extends Error {}

/** The segments that the thread has opened, and how it answers from them. */
class Computer {
  readonly #data: ComputeThreadData
  readonly #segments = new Map<number, OpenSegment>()
  readonly #dropped = new DroppedBuffers()

  constructor(data: ComputeThreadData) {
    this.#data = data
  }

  change({ open, close }: SegmentChange): void {
    for (const id of close) {
      this.#dropped.add(this.#segments.get(id)?.segment.bytes ?? 0)
      this.#segments.delete(id)
    }
    for (const { id, buffer, place } of open) {
      this.#segments.set(id, new OpenSegment(new Segment(buffer, place)))
    }
  }

  compute({ id, question, tables }: ComputeRequest): Computed {
    const { cancelled, place, progress } = this.#data
    const onChunk = () => {
      Atomics.add(progress, 0, 1)
      if (Atomics.load(cancelled, place) === id) throw new Cancelled()
    }
    try {
      const opened = new Map([...tables].map(([rid, table]) => [rid, this.#open(table)]))
      const answer = answerQuestion(question, { tables: opened, onChunk })
      return answer === undefined ? { unavailable: { reason: 'unsupported' } } : { answer }
    } catch (error) {
      if (error instanceof Cancelled) return { unavailable: { reason: 'cancelled' } }
      if (error instanceof ObjectQueryError) return { refused: refusalOf(error) }
      throw error
    }
  }

  #open({ segments: parts, ...table }: TableAt): OpenTable {
    const opened = parts.map(({ id, closings }) => {
      const open = this.#segments.get(id)
      if (open === undefined) throw new Error(`segment ${id} was not opened`)
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
  #last: { readonly version: number; readonly closed: number; readonly bits: Bits } | undefined

  constructor(segment: Segment) {
    this.segment = segment
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
  if ('open' in message) computer.change(message)
  else parentPort?.postMessage(computer.compute(message))
})
