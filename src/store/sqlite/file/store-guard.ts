/** Refuses reads and writes once the files of a store are damaged, moved or replaced. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { OpenFiles } from './database-file.ts'
import { StoreDamage, toStoreFailure } from './store-failure.ts'

const REPLACED = 'the files of the store are gone or were replaced; start the service again'

/**
 * Every read and write passes through the guard. Damage that any thread or process has reported once
 * holds until the store is opened again: other pages of the file may be damaged without SQLite
 * noticing, and cached pages may have been read from them.
 */
export class StoreGuard implements Disposable {
  readonly #files: OpenFiles
  readonly #onDamage: (error: StoreDamage) => void
  #isDamaged = false

  constructor(files: OpenFiles, onDamage: (error: StoreDamage) => void = () => {}) {
    this.#files = files
    this.#onDamage = onDamage
  }

  /** Runs a read in this thread. */
  read<T>(run: () => T): T {
    this.#checkDamage()
    try {
      return run()
    } catch (error) {
      throw this.#recordDamage(toStoreFailure(error))
    }
  }

  /**
   * Runs a read in a reader process. It opens the database by path, later than this process did, so
   * it would read files that were replaced since then without an error.
   */
  async readElsewhere<T>(run: () => Promise<T>): Promise<T> {
    this.checkFiles()
    const result = await this.#runElsewhere(run)
    this.checkFiles()
    return result
  }

  /** Runs a write in the writer thread. An acknowledged write is on disk, in the right files. */
  async write<T>(run: () => Promise<T>): Promise<T> {
    this.checkFiles()
    const result = await this.#runElsewhere(run)
    // Files that are missing now may have been missing when SQLite wrote to them.
    this.checkFiles('; it is not known whether this was written')
    if (this.#files.isWalIntact()) return result
    throw this.#recordDamage(new StoreDamage(new Error('the WAL was truncated or overwritten')))
  }

  /** Throws if the file or the WAL was moved or deleted: commits would be lost. */
  checkFiles(consequence = ''): void {
    if (this.#files.areInPlace()) return
    throw new ObjectQueryError('ServiceUnavailable', { reason: REPLACED + consequence })
  }

  /** Records damage that another process has found. */
  reportDamage(cause: Error): void {
    this.#recordDamage(new StoreDamage(cause))
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]()
  }

  /** Runs a function whose failures were translated by `toStoreFailure` already. */
  async #runElsewhere<T>(run: () => Promise<T>): Promise<T> {
    this.#checkDamage()
    const result = await run().catch((error) => {
      throw this.#recordDamage(error)
    })
    this.#checkDamage()
    return result
  }

  #checkDamage(): void {
    // Without its cause, which was logged once.
    if (this.#isDamaged) throw new StoreDamage()
  }

  #recordDamage(error: unknown): unknown {
    if (error instanceof StoreDamage && !this.#isDamaged) {
      this.#isDamaged = true
      this.#onDamage(error)
    }
    return error
  }
}
