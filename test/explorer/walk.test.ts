/** What a reader sees when pages expire, end or fail. What was read stays in every case. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { CHANGES_MAX_AGE_SECONDS, PAGE_TOKEN_TTL_SECONDS } from '../../src/contract/limits.ts'
import { startWalks } from '../support/explorer-data.ts'
import { explorerSuite } from '../support/explorer-suite.ts'
import { ADMIN_TOKEN } from '../support/service.ts'
import { counted, toEnd, tryNow } from '../support/walked-rows.ts'

/** Longer than any token of a page is valid. */
const TOO_LONG_MS = 1000 * PAGE_TOKEN_TTL_SECONDS + 1000

const suite = explorerSuite(startWalks)

/**
 * Scrolls to the end of what was read until all rows are read: a walk that restarts keeps its old
 * rows until its first page arrives, so a single scroll may come too early.
 */
async function readAll(page: Page): Promise<void> {
  const bar = page.getByLabel('Pages', { exact: true })
  const scrollAndCount = async () => {
    await toEnd(page)
    return bar.textContent()
  }
  await expect.poll(scrollAndCount, { timeout: 120_000 }).toContain('2,500 read of 2,500')
}

async function openRows(path = '/o/walks/row', token = ADMIN_TOKEN): Promise<Page> {
  const page = await suite.visit(path, { token })
  await counted(page, '1,000 read of 2,500')
  return page
}

it('keeps rows when a page token expires, and continues after the last key or starts again', async () => {
  const page = await openRows()
  suite.service.clock.now += TOO_LONG_MS
  await toEnd(page)
  const notice = page.getByText('Page 2 expired. The 1,000 rows that were read stay.')
  await notice.waitFor()
  await page.getByRole('button', { name: 'Continue after 999' }).click()
  await counted(page, '2,000 read of 2,500')
  await toEnd(page)
  await counted(page, '2,500 read of 2,500')

  await page.reload()
  await counted(page, '1,000 read of 2,500')
  suite.service.clock.now += TOO_LONG_MS
  await toEnd(page)
  await notice.waitFor()
  await page.getByRole('button', { name: 'Start again' }).click()
  await notice.waitFor({ state: 'detached' })
  await readAll(page)
})

it('continues within its snapshot when a page token expires, until the snapshot does', async () => {
  const page = await openRows('/o/walks/row?at=snapshot')
  await suite.service.put('walks', 'row', [{ id: 1500, name: 'changed' }])
  suite.service.clock.now += TOO_LONG_MS
  await toEnd(page)
  await counted(page, '2,000 read of 2,500')
  suite.service.clock.now += TOO_LONG_MS
  await readAll(page)
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, 0.6 * grid.scrollHeight))
  await page.getByRole('gridcell', { name: 'row 1500', exact: true }).waitFor()

  await page.reload()
  await counted(page, '1,000 read of 2,500')
  suite.service.clock.now += 1000 * CHANGES_MAX_AGE_SECONDS
  await toEnd(page)
  await page
    .getByText(/^The snapshot of .* is gone\. The 1,000 rows that were read stay\.$/)
    .waitFor()
  await page.getByRole('button', { name: 'Take a new snapshot' }).click()
  await readAll(page)

  await page.reload()
  await counted(page, '1,000 read of 2,500')
  suite.service.clock.now += 1000 * CHANGES_MAX_AGE_SECONDS
  await toEnd(page)
  await page.getByRole('button', { name: 'Continue after 999' }).click()
  await readAll(page)
  await page.getByText('The rows after the first 1,000 are of a later snapshot.').waitFor()
})

it('reads a list to its end, also where revision 1.0 would end it', async () => {
  // An address of the time when a view named its API.
  await readAll(await openRows('/o/walks/capped?rev=1'))
})

it('keeps rows when the bearer token expires or is revoked, and reads on after a sign-in', async () => {
  const { service } = suite
  const refusals: readonly (readonly [name: string, refuse: (name: string) => Promise<unknown>])[] =
    [
      [
        'expiring',
        async () => {
          service.clock.now += 60_001
        },
      ],
      ['revoked', (name) => service.revokeTokens(name)],
    ]
  for (const [name, refuse] of refusals) {
    const expiresAtMs = service.clock.now + 60_000
    const token = await service.createToken({ name, scopes: ['api:ontologies-read'], expiresAtMs })
    const page = await openRows('/o/walks/row', token)
    await refuse(name)
    await toEnd(page)
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.waitFor()
    await counted(page, '1,000 read of 2,500')
    await dialog.getByLabel('Token').fill(ADMIN_TOKEN)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await readAll(page)
  }
})

it('keeps rows without a network, and resumes', async () => {
  const page = await openRows()
  await page.context().setOffline(true)
  await toEnd(page)
  await page.getByText('The service cannot be reached.').waitFor()
  await counted(page, '1,000 read of 2,500')
  await page.context().setOffline(false)
  await tryNow(page, '2,000 read')
})
