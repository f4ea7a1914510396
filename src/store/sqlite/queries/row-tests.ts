/**
 * The SQL function that tests a row: `is_match(test number, cells…)`. Statements know the test of a
 * query by its number, until the transaction ends.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { RowTest } from '../../columns/scan/row-test.ts'

/** The cells of a row that a test reads. */
export type Cells = readonly unknown[]

export class RowTests {
  readonly #tests = new Map<number, RowTest<Cells>>()
  #last = 0

  /** The number of tests of the transaction; most have none. */
  get size(): number {
    return this.#tests.size
  }

  /** Returns the number of a test. */
  add(test: RowTest<Cells>): number {
    // Numbers are never reused: a statement that outlives its transaction must not run another test.
    this.#last += 1
    this.#tests.set(this.#last, test)
    return this.#last
  }

  isMatch(number: number, cells: Cells): boolean {
    const test = this.#tests.get(number)
    if (test === undefined) throw new Error(`no test ${number}`)
    return test(cells)
  }

  clear(): void {
    this.#tests.clear()
  }
}

/** Adds the SQL function to a connection. */
export function addTestFunction(db: DatabaseSync, tests: RowTests): void {
  const options = { deterministic: true, directOnly: true, varargs: true }
  db.function('is_match', options, (number, ...cells) =>
    tests.isMatch(number as number, cells) ? 1 : 0,
  )
}
