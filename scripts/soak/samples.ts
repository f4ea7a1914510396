/** What a service uses over time, and whether it grows. */
import { statSync } from 'node:fs'
import { readBody, type Target } from '../measure/connection.ts'
import { countDescriptors, treeMegabytes } from '../measure/process-stats.ts'
import type { Service } from '../measure/service.ts'
import { median, slopeOf } from '../measure/statistics.ts'
import { count, type Table } from '../measure/table.ts'

export interface Sample {
  readonly minute: number
  /** Private memory of the service and its child processes. */
  readonly megabytes: number
  readonly heapMegabytes: number
  readonly descriptors: number
  readonly storedMegabytes: number
  /** Zero on PostgreSQL, where the WAL belongs to the server. */
  readonly walMegabytes: number
}

export interface Status {
  readonly process: { readonly heapBytes: number }
  readonly store: { readonly storedBytes: number }
  readonly objectTypes: readonly { readonly version: number; readonly oldestVersion: number }[]
  readonly backgroundWork: {
    readonly rewrites: readonly unknown[]
    readonly tablesToRemove: number
    readonly reclaiming: boolean
  }
}

export async function readStatus(service: Target): Promise<Status> {
  const body = await readBody(service, { method: 'GET', path: '/api/admin/v1/status' })
  return JSON.parse(body.toString())
}

export async function takeSample(service: Service, store: string, minute: number): Promise<Sample> {
  const { process, store: stored } = await readStatus(service)
  return {
    minute,
    megabytes: treeMegabytes(service.pid),
    heapMegabytes: process.heapBytes / 2 ** 20,
    descriptors: countDescriptors(service.pid),
    storedMegabytes: stored.storedBytes / 2 ** 20,
    walMegabytes: walBytes(store) / 2 ** 20,
  }
}

/** Returns the file of a SQLite store; undefined for other stores. */
export function sqliteFile(store: string): string | undefined {
  return store.startsWith('sqlite:') ? store.slice('sqlite:'.length) : undefined
}

/** Returns the size of the WAL of a SQLite store; 0 for other stores. */
export function walBytes(store: string): number {
  const file = sqliteFile(store)
  if (file === undefined) return 0
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

export interface Growth {
  readonly megabytesPerMinute: number
  /** Between the first and the last quarter, in the median. */
  readonly descriptors: number
}

/** Returns the growth after the warm-up, during which caches fill. */
export function growthOf(samples: readonly Sample[], warmUpMinutes: number): Growth {
  const warm = samples.filter(({ minute }) => minute >= warmUpMinutes)
  const quarter = Math.ceil(warm.length / 4)
  const [first, last] = [warm.slice(0, quarter), warm.slice(-quarter)].map((part) =>
    median(part.map(({ descriptors }) => descriptors)),
  )
  const megabytesPerMinute = slopeOf(warm.map(({ minute, megabytes }) => [minute, megabytes]))
  return { megabytesPerMinute, descriptors: (last ?? 0) - (first ?? 0) }
}

/** Returns about ten samples, spread over the run. */
export function sampleTable(samples: readonly Sample[]): Table {
  const step = Math.max(1, Math.floor(samples.length / 10))
  const shown = samples.filter((_, at) => at % step === 0 || at === samples.length - 1)
  return [
    ['minute', 'private MB', 'heap MB', 'descriptors', 'stored MB', 'WAL MB'],
    ...shown.map((sample) => [
      count(sample.minute, 1),
      count(sample.megabytes),
      count(sample.heapMegabytes),
      count(sample.descriptors),
      count(sample.storedMegabytes, 1),
      count(sample.walMegabytes, 1),
    ]),
  ]
}
