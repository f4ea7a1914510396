import type { Timer } from '../../src/admission/timer.ts'

/** A clock that only the test advances. */
export class TestTimer implements Timer {
  #nowMs = 0
  #alarms: { readonly at: number; readonly callback: () => void }[] = []
  readonly now = () => this.#nowMs
  readonly after = (ms: number, callback: () => void) => {
    const alarm = { at: this.#nowMs + ms, callback }
    this.#alarms.push(alarm)
    return () => {
      this.#alarms = this.#alarms.filter((one) => one !== alarm)
    }
  }

  async pass(ms: number): Promise<void> {
    this.#nowMs += ms
    const due = this.#alarms.filter(({ at }) => at <= this.#nowMs)
    this.#alarms = this.#alarms.filter(({ at }) => at > this.#nowMs)
    for (const { callback } of due) callback()
    await settled()
  }

  get pending(): number {
    return this.#alarms.length
  }
}

/** Resolves when every promise that can settle by itself has settled. */
export const settled = () => new Promise((resolve) => setImmediate(resolve))
