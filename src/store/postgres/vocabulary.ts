import type { WriteSession } from './database.ts'

/** What an index that sorts can surely take. */
const INDEXED_BYTES = 2000

/** Collects the terms of a batch, for the table that fuzzy conditions look for similar terms in. */
export class Vocabulary {
  readonly #terms = new Set<string>()

  add(terms: Iterable<string>): void {
    for (const term of terms) this.#terms.add(term)
  }

  async save(session: WriteSession): Promise<void> {
    // Sorted, so that no two writers wait for each other.
    const terms = [...this.#terms].sort()
    const isLong = (term: string) => Buffer.byteLength(term) > INDEXED_BYTES
    const long = terms.filter(isLong)
    const short = long.length === 0 ? terms : terms.filter((term) => !isLong(term))
    for (const [table, some] of [
      ['oqs_term', short],
      ['oqs_long_term', long],
    ] as const) {
      if (some.length === 0) continue
      await session.run(
        `INSERT INTO ${table} (term) SELECT unnest(?::text[]) ON CONFLICT DO NOTHING`,
        [some],
      )
    }
  }
}
