import { sortInTurns } from '../../sql/sort-in-turns.ts'
import type { WriteSession } from '../driver/database.ts'

/** Below the limit of a B-tree index. Longer terms have a table without one. */
const MAX_INDEXED_BYTES = 2000

/** Collects the terms of a batch for the vocabulary, in which fuzzy conditions find similar terms. */
export class Vocabulary {
  readonly #terms = new Set<string>()

  add(terms: Iterable<string>): void {
    for (const term of terms) this.#terms.add(term)
  }

  async addInTurns(terms: ReadonlySet<string>, nextTurn: () => Promise<unknown>): Promise<void> {
    let added = 0
    for (const term of terms) {
      this.#terms.add(term)
      added += 1
      if (added % TERMS_PER_STATEMENT === 0) await nextTurn()
    }
  }

  async save(session: WriteSession): Promise<void> {
    // Sorted, so that concurrent writers cannot deadlock. In slices, because the driver serialises
    // each list of values synchronously.
    const terms = await sortInTurns([...this.#terms], (term) => term)
    for (let at = 0; at < terms.length; at += TERMS_PER_STATEMENT) {
      const slice = Map.groupBy(terms.slice(at, at + TERMS_PER_STATEMENT), tableOf)
      for (const table of ['oqs_term', 'oqs_long_term'] as const) {
        const tableTerms = slice.get(table)
        if (tableTerms === undefined) continue
        await session.run(
          `INSERT INTO ${table} (term) SELECT unnest(?::text[]) ON CONFLICT DO NOTHING`,
          [tableTerms],
        )
      }
    }
  }
}

const TERMS_PER_STATEMENT = 10_000

function tableOf(term: string): 'oqs_term' | 'oqs_long_term' {
  return Buffer.byteLength(term) > MAX_INDEXED_BYTES ? 'oqs_long_term' : 'oqs_term'
}
