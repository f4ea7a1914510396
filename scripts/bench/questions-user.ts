/** A person at the explorer, who counts clicks and waits for answers. */
import type { Locator, Page } from 'playwright-core'

/** An expression for the page that is true when the answer is on the screen. */
export type Shown = string

/** Events that an act can be, in the order in which they come. */
const EVENTS = ['pointerdown', 'click', 'keydown', 'input', 'change']

export class User {
  readonly page: Page
  clicks = 0
  /** Texts that were typed. */
  texts = 0
  #milliseconds = 0

  constructor(page: Page) {
    this.page = page
  }

  /** The time from the last act to the answer. */
  get milliseconds(): number {
    return this.#milliseconds
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1
    await target.click()
  }

  press(name: string): Promise<void> {
    return this.click(this.page.getByRole('button', { name, exact: true }).first())
  }

  /** Opens a menu and chooses from it: two clicks. */
  async choose(label: string, option: string): Promise<void> {
    this.clicks += 2
    await this.page.getByLabel(label, { exact: true }).last().selectOption({ label: option })
  }

  async type(label: string, text: string): Promise<void> {
    this.texts += 1
    const fields = this.page.locator('input, textarea')
    await fields.and(this.page.getByLabel(label)).last().fill(text)
  }

  /** Acts, and measures until a frame shows the answer. */
  async until(shown: Shown, act: () => Promise<void>): Promise<void> {
    // As a text, because the types of the browser are not known here.
    await this.page.evaluate(`globalThis.answered = new Promise((resolve) => {
      let start
      const note = () => { start = performance.now() }
      for (const name of ${JSON.stringify(EVENTS)}) addEventListener(name, note, true)
      const look = () => {
        if (start !== undefined && (${shown})) resolve(performance.now() - start)
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    }); undefined`)
    await act()
    this.#milliseconds = await this.page.evaluate<number>('answered')
  }

  /** Acts, and measures until the browser has the whole file. */
  async untilFile(act: () => Promise<void>): Promise<void> {
    const started = this.page.waitForEvent('download')
    const start = performance.now()
    await act()
    await (await started).path()
    this.#milliseconds = performance.now() - start
  }
}

/** A chart with all its values. */
export const chartShown = (title: string): Shown =>
  `document.querySelector('figure[aria-busy="false"] [aria-label=${JSON.stringify(title)}]') !== null`

export const textShown = (selector: string, pattern: RegExp): Shown =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].some((each) => ${pattern}.test(each.textContent))`
