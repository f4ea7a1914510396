/** Marks: bounds on measured values, wider than the noise of a shared machine. */
import { print } from './progress.ts'
import { type Table, toMarkdown } from './table.ts'

export interface Mark {
  readonly name: string
  /** NaN when it could not be measured. */
  readonly value: number
  readonly bound: '≤' | '≥'
  readonly limit: number
}

/** Prints the marks; returns whether none is missed. */
export function judge(marks: readonly Mark[]): boolean {
  print(`\n${toMarkdown(markTable(marks))}`)
  return marks.every((mark) => resultOf(mark) !== 'FAIL')
}

export function markTable(marks: readonly Mark[]): Table {
  const rows = marks.map((mark) => {
    const [measured, limit] = [mark.value, mark.limit].map((each) =>
      Number.isNaN(each) ? '-' : Number(each.toPrecision(3)),
    )
    return [mark.name, String(measured), `${mark.bound} ${limit}`, resultOf(mark)]
  })
  return [['Mark', 'measured', 'limit', 'result'], ...rows]
}

function resultOf({ value, bound, limit }: Mark): string {
  if (Number.isNaN(value)) return 'not measured'
  return (bound === '≤' ? value <= limit : value >= limit) ? 'pass' : 'FAIL'
}

export function atMost(limit: number, name: string, value: number): Mark {
  return { name, value, bound: '≤', limit }
}

export function atLeast(limit: number, name: string, value: number): Mark {
  return { name, value, bound: '≥', limit }
}
