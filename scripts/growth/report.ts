import { medianRatio, type Round } from '../bench/rounds.ts'
import { median } from '../bench/statistics.ts'
import type { GrowthCase } from './cases.ts'

/** Measurements → one table for people: a line for each figure, a column for each size. */

const NAME_WIDTH = 46
const FIGURE_WIDTH = 13
const RATIO_WIDTH = 8

export function printSizes(sizes: readonly number[]): void {
  const cells = sizes.map((size) => size.toLocaleString('en').padStart(FIGURE_WIDTH))
  console.log(`\n${'objects'.padEnd(NAME_WIDTH)}${cells.join(' '.repeat(RATIO_WIDTH))}`)
}

/** A figure that was taken once for each size. */
export function printFigures(name: string, figures: readonly number[], digits = 0): void {
  const [first = Number.NaN] = figures
  printLine(
    name,
    figures.map((figure) => ({ figure, ratio: figure / first })),
    digits,
  )
}

/** Prints the cases that share a name; gives whether the mark is met, if there is one to judge. */
export function printCases(
  cases: readonly GrowthCase[],
  measured: ReadonlyMap<GrowthCase, readonly Round[]>,
  judges: boolean,
): boolean {
  const [first] = cases
  if (first === undefined) return true
  const base = measured.get(first) ?? []
  const cells = cases.map((each) => {
    const rounds = measured.get(each) ?? []
    const micros = median(rounds.map((round) => round.cpuMicros))
    // Where the system does not tell processor time, time until the answer has to do.
    const figure = Number.isNaN(micros) ? 'latencyMs' : 'cpuMicros'
    return { figure: micros, ratio: medianRatio(rounds, base, figure) }
  })
  const { name } = first
  const atMost = judges ? first.atMost : undefined
  const isMet = atMost === undefined || cells.every(({ ratio }) => ratio <= atMost)
  const verdict = atMost === undefined ? '' : `  at most ${atMost} ${isMet ? 'pass' : 'FAIL'}`
  printLine(`${name}, CPU µs`, cells, 0, verdict)
  return isMet
}

interface Cell {
  readonly figure: number
  readonly ratio: number
}

function printLine(name: string, cells: readonly Cell[], digits: number, end = ''): void {
  const texts = cells.map(({ figure, ratio }, index) => {
    const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    const text = figure.toLocaleString('en', options).padStart(FIGURE_WIDTH)
    return index === 0 ? text : `${text}${`×${ratio.toFixed(2)}`.padStart(RATIO_WIDTH)}`
  })
  console.log(name.padEnd(NAME_WIDTH) + texts.join('') + end)
}
