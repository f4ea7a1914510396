import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Aggregation } from '../../../query/aggregation/aggregation.ts'
import { EVERYTHING } from '../../../query/query.ts'
import { CHUNK } from '../arrays/bits.ts'
import { SegmentBuilder } from '../segment/build-segment.ts'
import type { ColumnSpec } from '../segment/column.ts'
import { ComputePool, type ComputeTask } from './compute-pool.ts'
import { collectGarbage } from './dropped-buffers.ts'

const TYPE = { rid: 'type' } as never
const NUMBER = {
  property: 'number',
  structField: undefined,
  type: 'integer',
  isList: false,
} as const
const COUNT: Aggregation = { metrics: [{ kind: 'count', name: 'count' }], groupings: [] }

function segmentOf(rows: number) {
  const builder = new SegmentBuilder([NUMBER satisfies ColumnSpec], { kind: 'rows', rows })
  for (let n = 0; n < rows; n += 1) {
    builder.add({ key: String(n).padStart(9, '0'), validFrom: 1, values: [n] })
  }
  const { buffer, place } = builder.finish()
  return { id: 1, place, image: buffer }
}

/** A question about a table that has the same segment several times. */
function taskOf(rows: number, times: number, aggregation: Aggregation): ComputeTask {
  const closings = { positions: new Uint32Array(), versions: new Float64Array() }
  const segments = Array.from({ length: times }, () => ({ id: 1, closings }))
  const sources = [{ objectType: TYPE, query: EVERYTHING }]
  return {
    question: { kind: 'aggregate', request: { sources, aggregation, maxGroups: 100 } },
    tables: new Map([['type', { version: 1, liveCount: rows * times, segments }]]),
    segments: [segmentOf(rows)],
  }
}

/** Every row is in all ranges, and each metric looks at all of them. */
const SLOW_CHUNK: Aggregation = {
  metrics: Array.from({ length: 3000 }, (_, n) => ({
    kind: 'max',
    name: `max${n}`,
    property: 'number',
    type: 'integer',
  })),
  groupings: [
    {
      kind: 'ranges',
      property: 'number',
      type: 'integer',
      ranges: Array.from({ length: 50 }, (_, n) => ({
        low: { value: -1 - n, inclusive: true },
        high: undefined,
        json: `${n}`,
      })),
    },
  ],
}

const ONE = { threads: 1, maxBytes: 1e9 }
const NEVER = new AbortController().signal
const CANCELLED = { unavailable: { reason: 'cancelled' } }

// A question that is not stopped is answered, seconds later.
it.each([
  ['between two of many chunks', taskOf(CHUNK, 50_000, COUNT)],
  ['within a slow chunk', taskOf(CHUNK, 2, SLOW_CHUNK)],
] as const)('a cancelled question stops %s', async (_, task) => {
  await using pool = new ComputePool(ONE)
  const quick = taskOf(100, 1, COUNT)
  expect(await pool.run(quick, NEVER)).toHaveProperty('computed.answer')

  const cancelled = new AbortController()
  const [outcome] = await Promise.allSettled([
    pool.run(task, cancelled.signal),
    sleep(10).then(() => cancelled.abort()),
  ])
  // By the flag, or with its thread.
  if (outcome.status === 'fulfilled') expect(outcome.value.computed).toEqual(CANCELLED)
  // The only thread is free again.
  expect(await pool.run(quick, NEVER)).toHaveProperty('computed.answer')
})

it('does not start a question that is cancelled already', async () => {
  await using pool = new ComputePool(ONE)
  const { computed } = await pool.run(taskOf(100, 1, COUNT), AbortSignal.abort())
  expect(computed).toEqual(CANCELLED)
})

it('a question that makes no progress ends its thread, and another one answers', async () => {
  await using pool = new ComputePool({ ...ONE, maxIdleCpuMs: 50 })
  const metrics = Array.from({ length: 100 }, () => SLOW_CHUNK.metrics).flat()
  const stuck = taskOf(CHUNK, 1, { ...SLOW_CHUNK, metrics })
  await expect(pool.run(stuck, NEVER)).rejects.toThrow('made no progress')
  expect(await pool.run(taskOf(100, 1, COUNT), NEVER)).toHaveProperty('computed.answer')
})

/** Enough that nothing else in this process can hide whether they are free. */
const LARGE_BYTES = 256 * 1024 ** 2

it('frees a segment that was closed, also in a thread that has nothing else to do', async () => {
  await using pool = new ComputePool(ONE)
  const { signal } = new AbortController()
  await pool.run(taskOf(CHUNK, 1, COUNT), signal)
  pool.close([1])
  collectGarbage()
  const before = process.memoryUsage.rss()
  await (async () => {
    const task = taskOf(CHUNK, 1, COUNT)
    const [segment] = task.segments
    if (segment === undefined) throw new Error('no segment')
    const image = new SharedArrayBuffer(LARGE_BYTES)
    new Uint8Array(image).fill(1).set(new Uint8Array(segment.image as SharedArrayBuffer))
    await pool.run({ ...task, segments: [{ ...segment, image }] }, signal)
    expect(process.memoryUsage.rss() - before).toBeGreaterThan(LARGE_BYTES / 2)
  })()
  pool.close([1])
  const kept = () => {
    collectGarbage()
    return process.memoryUsage.rss() - before
  }
  await expect.poll(kept).toBeLessThan(LARGE_BYTES / 2)
})

it('a question that would take too much memory is left to the database', async () => {
  // A percentile keeps eight bytes of each row.
  const median: Aggregation = {
    metrics: [
      { kind: 'percentile', name: 'median', property: 'number', type: 'integer', fraction: 0.5 },
    ],
    groupings: [],
  }
  const task = taskOf(CHUNK, 500, median)
  await using little = new ComputePool({ threads: 1, maxBytes: 1e6 })
  expect((await little.run(task, NEVER)).computed).toEqual({ unavailable: { reason: 'tooLarge' } })
  expect(await little.run(taskOf(100, 1, median), NEVER)).toHaveProperty('computed.answer')
  await using enough = new ComputePool({ threads: 1, maxBytes: 1e9 })
  expect(await enough.run(task, NEVER)).toHaveProperty('computed.answer')
})
