import { ObjectQueryError } from '../../../contract/errors.ts'
import type { OpenFiles } from './database-file.ts'
import { StoreDamage, toStoreFailure } from './store-failure.ts'

const REPLACED = 'the files of the store are gone or were replaced; start the service again'

/**
 * Stands before everything that is read or written, and refuses what cannot be trusted. Damage that
 * was seen once, by any thread or reader process, holds until the store is opened again: other pages of the file may
 * be damaged without SQLite noticing, and pages in memory may have been read from such.
 */
export class StoreGuard {
  readonly #files: OpenFiles
  readonly #onDamage: (error: StoreDamage) => void
  #isDamaged = false

  constructor(files: OpenFiles, onDamage: (error: StoreDamage) => void = () => {}) {
    this.#files = files
    this.#onDamage = onDamage
  }

  /** Reads in this thread. */
  read<T>(run: () => T): T {
    this.#checkDamage()
    try {
      return run()
    } catch (error) {
      throw this.#note(toStoreFailure(error))
    }
  }

  /**
   * Reads in a reader process, which opens the database by its path, later than this process did:
   * files that were replaced since then would be read without an error.
   */
  async readElsewhere<T>(run: () => Promise<T>): Promise<T> {
    this.checkFiles()
    const result = await this.#runElsewhere(run)
    this.checkFiles()
    return result
  }

  /** Writes in the writer thread. What is acknowledged is on disk, in files that can be found. */
  async write<T>(run: () => Promise<T>): Promise<T> {
    this.checkFiles()
    const result = await this.#runElsewhere(run)
    // Files that are gone by now may have been gone when SQLite wrote to them.
    this.checkFiles('; it is not known whether this was written')
    return result
  }

  /** A database whose file or WAL was moved or deleted takes commits that nobody will ever read. */
  checkFiles(consequence = ''): void {
    if (this.#files.areInPlace()) return
    throw new ObjectQueryError('ServiceUnavailable', { reason: REPLACED + consequence })
  }

  /** Runs what reports its failures as `toStoreFailure` returns them. */
  async #runElsewhere<T>(run: () => Promise<T>): Promise<T> {
    this.#checkDamage()
    const result = await run().catch((error) => {
      throw this.#note(error)
    })
    this.#checkDamage()
    return result
  }

  #checkDamage(): void {
    // Without its cause, which is logged once.
    if (this.#isDamaged) throw new StoreDamage()
  }

  #note(error: unknown): unknown {
    if (error instanceof StoreDamage && !this.#isDamaged) {
      this.#isDamaged = true
      this.#onDamage(error)
    }
    return error
  }
}
