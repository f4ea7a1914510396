/**
 * Limits the lines of a file that hold nothing: each costs some time, and hundreds of millions of them
 * fit into a file that compresses to almost nothing.
 */

/** The number of blank lines beside one for each row. */
const BLANK_LINES_MAX = 1_000_000

export class BlankLines {
  readonly #max: number
  #excess = 0

  constructor(max = BLANK_LINES_MAX) {
    this.#max = max
  }

  /** Counts a row, beside which one more line may be blank. */
  addRow(): void {
    this.#excess -= 1
  }

  /** Counts a blank line. Returns why the file is refused, if there are too many. */
  addBlank(): string | undefined {
    this.#excess += 1
    if (this.#excess <= this.#max) return undefined
    const max = this.#max.toLocaleString('en')
    return `there are more than ${max} blank lines beside the rows; remove them, or check whether the file is damaged`
  }
}
