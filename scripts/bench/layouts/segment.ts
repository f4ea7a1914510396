import type { CrossingPut } from '../../../src/store/sqlite/threads/crossing-change.ts'
import { beforeProperties, renderRecord } from './render-record.ts'

/**
 * A segment: consecutive records in one piece. Their records of revision 1.0 stand ready, with
 * commas between. Those of revision 2.0 differ in what stands before the properties: that is kept
 * in a piece of its own, and put together with the properties when it is asked for.
 */

const SEGMENT_OBJECTS = 100
/** A segment that objects were added to is split when it gets larger than this. */
const SPLIT_ABOVE = 150

export interface SegmentRecord {
  readonly pk: string
  /** The record of revision 1.0. */
  readonly record: Buffer
  /** What the record of revision 2.0 has before the properties. */
  readonly head: Buffer
}

/** As stored. */
export interface PackedSegment {
  readonly records: Uint8Array
  readonly heads: Uint8Array
  /** A JSON array. */
  readonly keys: string
  /** As 32-bit numbers: where each record ends, where its properties start, where its head ends. */
  readonly marks: Uint8Array
}

export interface OpenedSegment {
  readonly records: Buffer
  readonly heads: Buffer
  readonly keys: readonly string[]
  readonly marks: Uint32Array
}

export function recordOf(put: CrossingPut): SegmentRecord {
  return {
    pk: put[0],
    record: Buffer.from(renderRecord('1.0', put)),
    head: Buffer.from(beforeProperties('2.0', put)),
  }
}

/** Puts records that are in key order into as many segments as it takes. */
export function inSegments(records: readonly SegmentRecord[]): readonly SegmentRecord[][] {
  if (records.length <= SPLIT_ABOVE) return [[...records]]
  return Array.from({ length: Math.ceil(records.length / SEGMENT_OBJECTS) }, (_, index) =>
    records.slice(index * SEGMENT_OBJECTS, (index + 1) * SEGMENT_OBJECTS),
  )
}

const COMMA = Buffer.from(',')
const MARKS = 3

export function packSegment(records: readonly SegmentRecord[]): PackedSegment {
  const marks = new Uint32Array(records.length * MARKS)
  let end = -COMMA.length
  let headEnd = 0
  records.forEach(({ record, head }, index) => {
    const start = end + COMMA.length
    end = start + record.length
    headEnd += head.length
    marks.set([end, start + record.indexOf(PROPERTIES) + PROPERTIES.length, headEnd], index * MARKS)
  })
  const pieces = records.flatMap(({ record }) => [record, COMMA])
  return {
    records: Buffer.concat(pieces.slice(0, -1)),
    heads: Buffer.concat(records.map(({ head }) => head)),
    keys: JSON.stringify(records.map(({ pk }) => pk)),
    marks: new Uint8Array(marks.buffer),
  }
}

/** Nothing that stands before it in a record of revision 1.0 can hold it. */
const PROPERTIES = '"properties":'

export function openSegment({ records, heads, keys, marks }: PackedSegment): OpenedSegment {
  const length = marks.byteLength / Uint32Array.BYTES_PER_ELEMENT
  return {
    records: Buffer.from(records.buffer, records.byteOffset, records.byteLength),
    heads: Buffer.from(heads.buffer, heads.byteOffset, heads.byteLength),
    keys: JSON.parse(keys),
    marks: new Uint32Array(marks.buffer, marks.byteOffset, length),
  }
}

export function unpack(segment: OpenedSegment): SegmentRecord[] {
  const { heads, keys, marks } = segment
  return keys.map((pk, index) => ({
    pk,
    record: slice(segment, index, index + 1),
    head: heads.subarray(headEnd(marks, index - 1), headEnd(marks, index)),
  }))
}

/** The records of revision 1.0 from one number to another, commas between. */
export function slice({ records, marks }: OpenedSegment, from: number, to: number): Buffer {
  const start = from === 0 ? 0 : recordEnd(marks, from - 1) + COMMA.length
  return records.subarray(start, recordEnd(marks, to - 1))
}

/** The same records in revision 2.0. */
export function sliceAsRevision2(segment: OpenedSegment, from: number, to: number): Buffer {
  const { records, heads, marks } = segment
  // Heads are longer than what they stand for by less than their own length.
  const page = Buffer.allocUnsafe(records.length + heads.length)
  let at = 0
  for (let number = from; number < to; number++) {
    at += heads.copy(page, at, headEnd(marks, number - 1), headEnd(marks, number))
    // With the bracket that closes the record, and the comma behind all but the last.
    const end = recordEnd(marks, number) + (number === to - 1 ? 0 : COMMA.length)
    at += records.copy(page, at, marks[number * MARKS + 1] ?? 0, end)
  }
  return page.subarray(0, at)
}

function recordEnd(marks: Uint32Array, number: number): number {
  return marks[number * MARKS] ?? 0
}

/** Zero before the first one. */
function headEnd(marks: Uint32Array, number: number): number {
  return marks[number * MARKS + 2] ?? 0
}
