/** How a person changes objects in the explorer, and takes a change back. */
import { expect, it } from 'vitest'
import { accessibilityFaults } from '../support/browser.ts'
import { explorerSuite } from '../support/explorer-suite.ts'

const suite = explorerSuite()

const path = (key: string) => `/api/v1/ontologies/shop/objects/item/${key}`
const read = async (key = 'i001') => (await suite.service.send(path(key))).body?.properties

it('shows the changes before it saves them, and undoes the last one', async () => {
  const page = await suite.visit('/o/shop/item/i001')
  const before = await read()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name (string)').fill('Renamed')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByText('Renamed').waitFor()
  await expect.poll(() => read()).toEqual(before)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Renamed' }).waitFor()
  await expect.poll(() => read()).toEqual({ ...before, name: 'Renamed' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Item 1' }).waitFor()
  await expect.poll(() => read()).toEqual(before)
})

it('says beside the field what is wrong while it is typed, and offers a calendar', async () => {
  const page = await suite.visit('/o/shop/item/i001')
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Item' })
  const field = dialog.getByLabel('Sold at (timestamp)', { exact: true })
  await field.fill('15.03.2020')
  await expect
    .poll(async () => field.evaluate((input) => input.getAttribute('aria-invalid')))
    .toBe('true')
  await dialog.getByText('This is not a timestamp: ISO 8601 with Z or an offset.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true)
  expect(await accessibilityFaults(page, 'dialog')).toEqual([])

  await dialog.getByRole('button', { name: 'Choose Sold at (timestamp)' }).click()
  await dialog.locator('input[type=datetime-local]').fill('2020-03-15T10:30')
  expect(await field.inputValue()).toBe('2020-03-15T10:30:00Z')
  await dialog.getByRole('button', { name: 'JSON' }).click()
  const json = dialog.getByLabel('JSON of the properties')
  await json.fill('{"id": "i001", "soldAt": "15.03.2020"}')
  await dialog.getByText('soldAt: This is not a timestamp').waitFor()
  expect(await dialog.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true)
  await json.fill('{"id": "i001", "soldAt": "2020-03-15T10:30:00Z"}')
  await dialog.getByRole('button', { name: 'Review' }).click()
  await dialog.getByText('2020-03-15T10:30:00Z').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})

it('asks before Escape drops what was typed, in each step', async () => {
  const page = await suite.visit('/o/shop/item')
  const open = page.getByRole('button', { name: 'New', exact: true })
  const dialog = page.getByRole('dialog', { name: 'New Item' })
  const name = dialog.getByLabel('Name (string)')
  const question = dialog.getByText('Discard what you have typed?')
  await open.click()
  await name.waitFor()
  // There is nothing to ask about.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })

  await open.click()
  await name.fill('Nearly lost')
  await page.keyboard.press('Escape')
  await question.waitFor()
  expect(await accessibilityFaults(page, 'dialog')).toEqual([])
  // Escape closes the question, not the form, and the field has the focus again.
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'hidden' })
  expect(await name.evaluate((field) => field.matches(':focus'))).toBe(true)
  expect(await name.inputValue()).toBe('Nearly lost')

  // Review removes the button that has the focus, which is then on the page.
  await dialog.getByLabel('Id (string)').fill('new/2')
  await dialog.getByRole('button', { name: 'Review' }).click()
  await dialog.getByText('Nearly lost').waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await dialog.getByRole('button', { name: 'Create' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await read('new%2F2')).toBeUndefined()
})

it('creates an object from nothing, opens it, and takes it back', async () => {
  const page = await suite.visit('/o/shop/item')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'New Item' })
  await dialog.getByLabel('Id (string)').fill('new/1')
  await dialog.getByLabel('Name (string)').fill('Brand new')
  await dialog.getByLabel('Stock (long)').fill('9007199254740995')
  await dialog.getByLabel('Is new (boolean)').selectOption('true')
  await dialog.getByLabel('Tags (array)').fill('["first"]')
  // A line of text stays one line high beside a taller field.
  const heights = await dialog
    .locator('input')
    .evaluateAll((inputs) => inputs.map(({ clientHeight }) => clientHeight))
  expect(Math.max(...heights)).toBeLessThan(40)
  await dialog.getByRole('button', { name: 'Review' }).click()
  await dialog.getByText('Brand new').waitFor()
  await expect.poll(() => read('new%2F1')).toBeUndefined()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Brand new' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/o/shop/item/new%2F1')
  await expect
    .poll(() => read('new%2F1'))
    .toEqual({
      id: 'new/1',
      name: 'Brand new',
      stock: '9007199254740995',
      isNew: true,
      tags: ['first'],
    })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('status').filter({ hasText: 'Created' }).waitFor({ state: 'detached' })
  await expect.poll(() => read('new%2F1')).toBeUndefined()
})

it('shows both versions when somebody else changed the object, and keeps both changes', async () => {
  const page = await suite.visit('/o/shop/item/i001')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name (string)').fill('Mine')
  await suite.service.send('/api/admin/v1/ontologies/shop/objects/item/i001', {
    method: 'PATCH',
    json: { price: 99 },
  })
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  const versions = page.getByRole('region', { name: 'Both versions' })
  await versions.getByText('Mine').waitFor()
  await versions.getByText('99').waitFor()
  await expect.poll(() => read()).toMatchObject({ name: 'Item 1', price: 99 })
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Mine' }).waitFor()
  await expect.poll(() => read()).toMatchObject({ name: 'Mine', price: 99 })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Item 1' }).waitFor()
})

it('deletes after a confirmation, and brings the object back', async () => {
  const page = await suite.visit('/o/shop/item/i001')
  const before = await read()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL('**/o/shop/item')
  expect((await suite.service.send(path('i001'))).status).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('status').filter({ hasText: 'Deleted' }).waitFor({ state: 'detached' })
  await expect.poll(() => read()).toEqual(before)
})

it('shows none of it without the write scope', async () => {
  const token = await suite.service.createToken()
  const page = await suite.visit('/o/shop/item/i001', { token })
  await page.getByRole('heading', { name: 'Item 1' }).waitFor()
  await page.getByText(/^test/).waitFor()
  await expect.poll(() => page.getByRole('button', { name: /Edit|Delete/ }).count()).toBe(0)
  await page.getByRole('link', { name: 'Item', exact: true }).first().click()
  await page.getByRole('gridcell').first().waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'New', exact: true }).count()).toBe(0)
})
