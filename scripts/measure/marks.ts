/** Marks: bounds on measured values, wider than the noise of a shared machine. */
import type { Table } from './table.ts'

export interface Mark {
  readonly name: string
  /** Undefined when it could not be measured. */
  readonly value: number | undefined
  readonly bound: '≤' | '≥'
  readonly limit: number
}

export function isMet({ value, bound, limit }: Mark): boolean {
  if (value === undefined || Number.isNaN(value)) return true
  return bound === '≤' ? value <= limit : value >= limit
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
