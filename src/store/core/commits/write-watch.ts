/**
 * Watches whether writes succeed, so that operators see a full disk although reads go on. While they
 * fail, another write is tried again and again: clients may have stopped sending any.
 */
import { NotWritable } from '../../not-writable.ts'
import type { WriteState } from '../../port/maintenance.ts'

export class WriteWatch {
  readonly #tryWrite: () => Promise<unknown>
  #commits = 0
  #failed = 0
  #failure: string | undefined
  #isTrying = false

  constructor(tryWrite: () => Promise<unknown>) {
    this.#tryWrite = tryWrite
  }

  /** Notes the outcome of a write. */
  async observe<Result>(written: Promise<Result>): Promise<Result> {
    try {
      const result = await written
      this.#commits += 1
      this.#failure = undefined
      return result
    } catch (error) {
      if (error instanceof NotWritable) {
        this.#failed += 1
        this.#failure = error.reason
      }
      throw error
    }
  }

  /** Returns the outcome so far. If the last write failed, tries another one, for later calls. */
  state(): WriteState {
    if (this.#failure !== undefined && !this.#isTrying) void this.#try()
    return { commits: this.#commits, failed: this.#failed, failure: this.#failure }
  }

  async #try(): Promise<void> {
    this.#isTrying = true
    try {
      await this.#tryWrite()
      this.#failure = undefined
    } catch {
      // Still the same, or the database cannot be reached, which its other users report.
    } finally {
      this.#isTrying = false
    }
  }
}
