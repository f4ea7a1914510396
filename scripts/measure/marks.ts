/** Marks: bounds on measured values, wider than the noise of a shared machine. */
import { print } from './progress.ts'
import { type Table, toMarkdown } from './table.ts'

export interface Mark {
  readonly name: string
  /** Undefined when it could not be measured. */
  readonly value: number | undefined
  readonly bound: '≤' | '≥'
  readonly limit: number
}

function isMet({ value, bound, limit }: Mark): boolean {
  if (value === undefined || Number.isNaN(value)) return true
  return bound === '≤' ? value <= limit : value >= limit
}

/** Prints the marks; returns whether all are met. */
export function judge(marks: readonly Mark[]): boolean {
  print(`\n${toMarkdown(markTable(marks))}`)
  return marks.every(isMet)
}

export function markTable(marks: readonly Mark[]): Table {
  return [
    ['Mark', 'measured', 'limit', 'result'],
    ...marks.map((mark) => {
      const { name, value, bound, limit } = mark
      const isKnown = value !== undefined && !Number.isNaN(value)
      const measured = isKnown ? String(Number(value.toPrecision(3))) : '-'
      const result = isKnown ? (isMet(mark) ? 'pass' : 'FAIL') : 'not measured'
      return [name, measured, `${bound} ${limit}`, result]
    }),
  ]
}
