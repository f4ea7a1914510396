/** The rows of a type in the explorer, which reads them page by page. */
import type { Page } from 'playwright-core'

/** Waits until the bar below the rows shows a text, such as `1,000 read of 2,500`. */
export async function counted(page: Page, text: string): Promise<void> {
  await page.getByLabel('Pages', { exact: true }).getByText(text).waitFor()
}

/** Scrolls to the end of what was read; the next page is loaded from there. */
export async function toEnd(page: Page): Promise<void> {
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight))
}

/** Retries a page that could not be read, and waits until the bar shows a text. */
export async function tryNow(page: Page, text: string): Promise<void> {
  const readOn = counted(page, text)
  // The explorer also retries by itself, and then the button is gone before it can be clicked.
  await Promise.race([page.getByRole('button', { name: 'Try now' }).click(), readOn])
  await readOn
}
