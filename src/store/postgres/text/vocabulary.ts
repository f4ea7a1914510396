import type { Steps } from '../../../ontology/steps.ts'
import { sortInTurns } from '../../sql/sort-in-turns.ts'
import { arrayBytes } from '../catalogue/column-bytes.ts'
import type { WriteSession } from '../driver/database.ts'
import { saveTerms, type TermPart } from './save-terms.ts'

/** Below the limit of a B-tree index. Longer terms have a table without one. */
const MAX_INDEXED_BYTES = 2000

/** Collects the terms of a batch for the vocabulary, in which fuzzy conditions find similar terms. */
export class Vocabulary {
  readonly #terms = new Set<string>()

  add(term: string): void {
    this.#terms.add(term)
  }

  *addInSteps(terms: ReadonlySet<string>): Steps<void> {
    let added = 0
    for (const term of terms) {
      this.#terms.add(term)
      added += 1
      if (added % TERMS_PER_STATEMENT === 0) yield
    }
  }

  async save(session: WriteSession): Promise<void> {
    const terms = await sortInTurns([...this.#terms], (term) => term)
    await saveTerms(session, terms.length, () => partsOf(terms))
  }

  /** Returns the terms in parts, to be saved in this order. */
  parts(): Iterable<TermPart> {
    return partsOf([...this.#terms].sort())
  }
}

/** Divides sorted terms into statements, because each list of terms is encoded synchronously. */
function* partsOf(terms: readonly string[]): Generator<TermPart> {
  for (let at = 0; at < terms.length; at += TERMS_PER_STATEMENT) {
    const part = Map.groupBy(terms.slice(at, at + TERMS_PER_STATEMENT), tableOf)
    for (const table of ['oqs_term', 'oqs_long_term'] as const) {
      const tableTerms = part.get(table)
      if (tableTerms === undefined) continue
      yield { table, count: tableTerms.length, terms: arrayBytes('text', tableTerms) }
    }
  }
}

const TERMS_PER_STATEMENT = 10_000

function tableOf(term: string): 'oqs_term' | 'oqs_long_term' {
  // UTF-8 takes at most three bytes for each UTF-16 code unit.
  const isShort = 3 * term.length <= MAX_INDEXED_BYTES
  return isShort || Buffer.byteLength(term) <= MAX_INDEXED_BYTES ? 'oqs_term' : 'oqs_long_term'
}
