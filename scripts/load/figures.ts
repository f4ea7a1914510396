/** The figures of a store that was loaded and written to, as tables and as marks. */
import type { StoreName } from '../measure/command-line.ts'
import { atLeast, atMost, type Mark } from '../measure/marks.ts'
import { print } from '../measure/progress.ts'
import { count, toMarkdown } from '../measure/table.ts'
import type { LoadCost } from './load-cost.ts'
import type { CommitCost, NewKeyCost } from './writes.ts'

const LIMITS = {
  SQLite: { rate: 0.6, bytes: 1200 },
  PostgreSQL: { rate: 0.5, bytes: 1900 },
}
/**
 * Multiples of what the ceiling takes in the same run, because machines differ: 70 µs per imported
 * object, and 110 µs of the writer thread per new key, where the ceiling takes 28 µs.
 */
const CPU_LIMITS = { import: 70 / 28, newKey: 110 / 28 }

export interface LoadFigures {
  readonly storeName: StoreName
  readonly objects: number
  readonly ceiling: LoadCost
  /** Undefined on PostgreSQL, and if sqlite-utils is not installed. */
  readonly utils: LoadCost | undefined
  /** This checkout, and another one. */
  readonly loads: readonly MeasuredLoad[]
}

export interface KeyedLoad {
  /** Undefined on PostgreSQL. */
  readonly newKeys?: NewKeyCost
}

interface MeasuredLoad extends KeyedLoad {
  readonly name: string
  readonly load: LoadCost
  /** The peak of the service's private memory. */
  readonly megabytes: number
  readonly commits: readonly CommitCost[]
}

export function printFigures({ storeName, objects, ceiling, utils, loads }: LoadFigures): void {
  const row = (name: string, { seconds, cpuMicros, bytes }: LoadCost) => [
    name,
    seconds.toFixed(1),
    count(objects / seconds),
    Number.isNaN(cpuMicros) ? '-' : count(cpuMicros / objects, 1),
    count(bytes / objects),
    (ceiling.seconds / seconds).toFixed(2),
  ]
  print(`\n## ${storeName}, ${count(objects)} objects\n`)
  print(
    toMarkdown([
      ['Load', 'seconds', 'objects/s', 'CPU µs', 'bytes', 'rate / ceiling'],
      row('ceiling', ceiling),
      ...loads.map(({ name, load }) => row(name, load)),
      ...(utils === undefined ? [] : [row('sqlite-utils', utils)]),
    ]),
  )
  const memory = loads.map(({ name, megabytes }) => `${name} ${count(megabytes)} MB`)
  print(`\nPeak of the service's private memory during the import: ${memory.join(', ')}.`)
  const commits = loads.flatMap((one) =>
    one.commits.map(({ writers, perSecond, cpuMicros }) => [
      one.name,
      String(writers),
      count(perSecond),
      count(cpuMicros),
    ]),
  )
  const commitTitles = ['Commits of single objects', 'writers', 'commits/s', 'CPU µs per commit']
  print(`\n${toMarkdown([commitTitles, ...commits])}`)
  const newKeys = loads.flatMap(({ name, newKeys: cost }) =>
    cost === undefined
      ? []
      : [[name, count(cost.writer), cost.bare === undefined ? '-' : count(cost.bare)]],
  )
  if (newKeys.length === 0) return
  print(`\n${toMarkdown([['New keys in no order', 'writer CPU µs', 'bare SQLite'], ...newKeys])}`)
}

/** Returns the marks of this checkout. */
export function marksOf({
  storeName,
  objects,
  ceiling,
  utils,
  loads,
}: LoadFigures): readonly Mark[] {
  const [own] = loads
  if (own === undefined) throw new Error('nothing was loaded')
  const cpuMark = (limit: number, name: string, microsPerObject: number) =>
    atMost(limit, `${name} / ceiling, CPU`, microsPerObject / (ceiling.cpuMicros / objects))
  const limits = LIMITS[storeName]
  const sqliteMarks = [
    cpuMark(CPU_LIMITS.import, 'import', own.load.cpuMicros / objects),
    cpuMark(CPU_LIMITS.newKey, 'writer of a new key', own.newKeys?.writer ?? Number.NaN),
    atLeast(1, 'import / sqlite-utils, rate', (utils?.seconds ?? Number.NaN) / own.load.seconds),
  ]
  return [
    atLeast(limits.rate, 'import / ceiling, rate', ceiling.seconds / own.load.seconds),
    atMost(limits.bytes, 'bytes per object', own.load.bytes / objects),
    ...(storeName === 'SQLite' ? sqliteMarks : []),
  ].map((mark) => ({ ...mark, name: `${storeName}: ${mark.name}` }))
}
