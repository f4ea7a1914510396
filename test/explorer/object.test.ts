/** Journeys around one object: links, trail, neighbours, compare, what was deleted. */
import { expect, it } from 'vitest'
import { explorerSuite } from '../support/explorer-suite.ts'

const suite = explorerSuite()

const addressOf = (text: string) => {
  const { pathname, searchParams } = new URL(text)
  return [decodeURIComponent(pathname), ...searchParams.getAll('t')]
}

it('shows properties by type, the position, links with counts, and the bytes that came', async () => {
  const page = await suite.visit('/o/shop/item/i004')
  await page.getByRole('heading', { name: 'Item 4' }).waitFor()
  await page.getByText('9,007,199,254,740,997').waitFor()
  await expect.poll(() => page.locator('time').textContent()).toBe('2026-01-05 00:00:00 UTC')
  await expect.poll(() => page.getByRole('img', { name: /^Map:/ }).count()).toBe(1)
  await page.getByRole('link', { name: 'Brass Works' }).first().waitFor()
  await page.getByRole('button', { name: 'JSON' }).click()
  const { text } = await suite.service.send('/api/v2/ontologies/shop/objects/item/i004')
  await expect.poll(() => page.locator('pre').textContent()).toBe(text)
})

it('walks through links and back, with filters, and shares the trail', async () => {
  const page = await suite.visit('/o/shop/maker/m1')
  await page.getByRole('link', { name: /^Items 20/ }).click()
  await page.getByText('i001').first().waitFor()
  expect(addressOf(page.url())).toEqual(['/o/shop/maker/m1/items'])

  await page.goto(`${suite.service.url}/o/shop/maker/m1/items?w=price:gte:50`)
  await page.getByText('i040').first().click()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Item 40' }).waitFor()
  expect(addressOf(page.url())).toEqual(['/o/shop/item/i040', 'maker/m1/items'])
  await page.getByText('1 of 7').waitFor()

  await page.keyboard.press(']')
  await page.getByRole('heading', { name: 'Item 43' }).waitFor()
  await page.getByText('2 of 7').waitFor()
  await page.keyboard.press('[')
  await page.getByRole('heading', { name: 'Item 40' }).waitFor()

  await using other = await suite.visitElsewhere(page.url().slice(suite.service.url.length))
  const path = other.page.getByRole('navigation', { name: 'The way here' })
  await path.getByRole('link', { name: 'Brass Works' }).waitFor()
  await path.getByRole('link', { name: 'items' }).click()
  await other.page.getByText('i040').first().waitFor()
  expect(other.page.url()).toContain('w=price:gte:50')
})

it('compares two objects', async () => {
  const page = await suite.visit('/o/shop/item/i001')
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByLabel('Name or key of another object').fill('Item 3')
  await page.getByRole('button', { name: 'Item 3 i003' }).waitFor()
  await page.getByRole('button', { name: 'Compare both objects' }).click()
  await page.getByText('8 of 10 properties differ.').waitFor()
  expect(new URL(page.url()).searchParams.get('with')).toBe('i003')
})

it('says what changed since a snapshot, and what is known of a deleted object', async () => {
  await suite.service.put('shop', 'item', [{ id: 'changing', name: 'Before', price: 1 }])
  const page = await suite.visit('/o/shop/item/changing')
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('button', { name: 'Take a snapshot' }).click()
  await page.getByText('Nothing changed since the snapshot').waitFor()

  await suite.service.put('shop', 'item', [{ id: 'changing', name: 'After', price: 1 }])
  await page.getByRole('button', { name: 'Read the latest again' }).click()
  await page.getByText('1 of 10 properties differ.').waitFor()
  const row = page.getByRole('row', { name: /Name/ })
  await expect.poll(() => row.getByRole('cell').allTextContents()).toEqual(['Before', 'After'])

  await suite.service.write('shop', 'item', [{ delete: 'changing' }])
  await page.reload()
  await page.getByText('This object was deleted.').waitFor()
  await page.getByText('Before', { exact: true }).first().waitFor()

  await page.goto(`${suite.service.url}/o/shop/item/changing`)
  await page.getByText('There is no Item with the key “changing”').waitFor()
})
