/**
 * Searches the tables of many object types for objects by id. An id belongs to one type, so each
 * table is searched only for the ids that no other table had, and the search ends when none is left.
 */

/** A table of current objects. */
export interface SearchedTable {
  readonly typeRid: string
  readonly table: number
  /** The rows to read if the whole table is read. */
  readonly rows: number
}

export class TypeSearch {
  readonly #ids: Set<string>
  readonly #maxTypes: number
  readonly #types = new Set<string>()

  /** The search ends after `maxTypes` types. */
  constructor({ ids, maxTypes }: { ids: readonly string[]; maxTypes: number }) {
    this.#ids = new Set(ids)
    this.#maxTypes = maxTypes
  }

  get isDone(): boolean {
    return this.#ids.size === 0 || this.#types.size >= this.#maxTypes
  }

  /** The ids that were not found yet. */
  get ids(): ReadonlySet<string> {
    return this.#ids
  }

  get typeRids(): string[] {
    return [...this.#types]
  }

  /** True if reading all rows of a table takes fewer steps than looking up all ids. */
  readsAllOf({ rows }: SearchedTable): boolean {
    return rows <= this.#ids.size
  }

  add(typeRid: string, id: string): void {
    if (!this.isDone && this.#ids.delete(id)) this.#types.add(typeRid)
  }
}

/** Sorts tables so that those likely to have the most of the ids come first. */
export function inSearchOrder<Table extends SearchedTable>(tables: readonly Table[]): Table[] {
  return tables.toSorted((a, b) => b.rows - a.rows)
}

/** Returns the number of rows that a search reads at most. */
export function searchSteps(tables: readonly SearchedTable[], ids: number): number {
  return tables.reduce((steps, { rows }) => steps + Math.min(rows, ids), 0)
}
