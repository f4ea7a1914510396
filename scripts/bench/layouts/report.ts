import { medianRatio, type Round } from '../rounds.ts'
import { median } from '../statistics.ts'
import { CEILING, PAGE_SIZES, type PageCase } from './read-phases.ts'
import type { WriteCosts } from './write-phases.ts'

/** Measurements → tables for people. */

const NAME_WIDTH = 42
const NUMBER_WIDTH = 16

export function printPages(title: string, measured: ReadonlyMap<PageCase, readonly Round[]>): void {
  console.log(`\n# ${title}`)
  for (const pageSize of PAGE_SIZES) {
    const cases = [...measured].filter(([each]) => each.pageSize === pageSize)
    const roundsOf = (wanted: string) => cases.find(([{ name }]) => name === wanted)?.[1] ?? []
    const ceiling = roundsOf(CEILING)
    const heading = ['CPU µs', 'req/s', 'CPU / rows', 'of the ceiling', 'by CPU']
    console.log(`\n${row(`Pages of ${count(pageSize)}`, heading)}`)
    for (const [{ name, beside }, rounds] of cases) {
      console.log(
        row(name, [
          count(median(rounds.map((round) => round.cpuMicros))),
          count(median(rounds.map((round) => round.requestsPerSecond))),
          medianRatio(rounds, roundsOf(beside), 'cpuMicros').toFixed(2),
          medianRatio(rounds, ceiling, 'requestsPerSecond').toFixed(2),
          medianRatio(ceiling, rounds, 'cpuMicros').toFixed(2),
        ]),
      )
    }
  }
}

export function printWrites(title: string, costs: WriteCosts): void {
  const heading = ['CPU µs/object', '/ rows', 'kB/object', '/ rows', 'objects/s']
  console.log(`\n${row(title, heading)}`)
  const base = costs.get('rows')
  for (const [name, { objects, cpuMs, milliseconds, bytes }] of costs) {
    console.log(
      row(name, [
        count((1000 * cpuMs) / objects),
        (cpuMs / (base?.cpuMs ?? Number.NaN)).toFixed(2),
        (bytes / objects / 1000).toFixed(1),
        (bytes / (base?.bytes ?? Number.NaN)).toFixed(2),
        count((1000 * objects) / milliseconds),
      ]),
    )
  }
}

export function printSizes(title: string, sizes: ReadonlyMap<string, number>): void {
  console.log(`\n${row(title, ['MB', '/ rows'])}`)
  for (const [name, bytes] of sizes) {
    const ratio = bytes / (sizes.get('rows') ?? Number.NaN)
    console.log(row(name, [count(bytes / 1e6), ratio.toFixed(2)]))
  }
}

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join('')
}

function count(number: number): string {
  return Math.round(number).toLocaleString('en')
}
