import { excerptOf } from '../../formats/row.ts'
import { tableName } from './source-tables.ts'
import type { RowKey, TableMapping } from './table-mapping.ts'

/** Reports values that a property cannot hold, such as an infinite date: once for each column. */
export class UnfitValues {
  readonly #reported = new Set<string>()
  readonly #onNote: (text: string) => void

  constructor(onNote: (text: string) => void) {
    this.#onNote = onNote
  }

  reporter({ table }: TableMapping): (column: string, value: string, key: RowKey) => void {
    return (column, value, key) => {
      const name = `${tableName(table)}.${column}`
      if (this.#reported.has(name)) return
      this.#reported.add(name)
      this.#onNote(
        `${name}: the value ${excerptOf(value)} of ${key.text} is left out, because no property can hold it; further ones are left out without a note`,
      )
    }
  }
}
