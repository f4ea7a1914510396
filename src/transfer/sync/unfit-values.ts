import { excerptOf } from '../../formats/row.ts'
import { tableName } from './source-tables.ts'
import type { TableMapping, UnfitReporter } from './table-mapping.ts'

/**
 * Reports what the service cannot hold, such as an infinite date: once for each column, and once for
 * the keys of each table. Notes end up in logs, so they have no values.
 */
export class UnfitValues {
  readonly #reported = new Set<string>()
  readonly #onNote: (text: string) => void

  constructor(onNote: (text: string) => void) {
    this.#onNote = onNote
  }

  reporter({ table }: TableMapping): UnfitReporter {
    const name = tableName(table)
    return {
      onValue: (column, key) =>
        this.#report(
          `${name}.${column}`,
          `the value of ${excerptOf(key.text)} is left out, because no property can hold it`,
        ),
      onKey: (reason) => this.#report(name, `a row is left out, because its primary key ${reason}`),
    }
  }

  #report(name: string, what: string): void {
    if (this.#reported.has(name)) return
    this.#reported.add(name)
    this.#onNote(`${name}: ${what}; further ones are left out without a note`)
  }
}
