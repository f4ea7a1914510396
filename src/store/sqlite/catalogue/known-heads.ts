/**
 * Keeps what the catalogue says about types: reading it takes about 5 % of the time of a small page.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { KnownUntilCommit } from '../file/known-until-commit.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { readTypeHead, type TypeHead } from './type-head.ts'

export class KnownHeads {
  readonly #statements: StatementCache
  readonly #heads: KnownUntilCommit<TypeHead>

  constructor(statements: StatementCache) {
    this.#statements = statements
    this.#heads = new KnownUntilCommit(statements)
  }

  /**
   * Returns the state of a type. Must be called in a transaction: otherwise the version of the data
   * and the state could belong to different commits.
   */
  read(type: ObjectType): TypeHead {
    return this.#heads.find(type.rid, () => readTypeHead(this.#statements, type))
  }
}
