import { sortInTurns } from '../../sql/sort-in-turns.ts'
import type { WriteSession } from '../driver/database.ts'

/** What an index that sorts can surely take. */
const INDEXED_BYTES = 2000

/** Collects the terms of a batch, for the table that fuzzy conditions look for similar terms in. */
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
    // Sorted, so that no two writers wait for each other. In slices, because the driver writes
    // each list of values in one go, on the main thread.
    const terms = await sortInTurns([...this.#terms], (term) => term)
    for (let at = 0; at < terms.length; at += TERMS_PER_STATEMENT) {
      const some = Map.groupBy(terms.slice(at, at + TERMS_PER_STATEMENT), tableOf)
      for (const table of ['oqs_term', 'oqs_long_term'] as const) {
        const ofTable = some.get(table)
        if (ofTable === undefined) continue
        await session.run(
          `INSERT INTO ${table} (term) SELECT unnest(?::text[]) ON CONFLICT DO NOTHING`,
          [ofTable],
        )
      }
    }
  }
}

const TERMS_PER_STATEMENT = 10_000

function tableOf(term: string): 'oqs_term' | 'oqs_long_term' {
  return Buffer.byteLength(term) > INDEXED_BYTES ? 'oqs_long_term' : 'oqs_term'
}
