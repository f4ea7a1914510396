/**
 * Films the explorer in Chromium for the README: a file is dropped, and becomes a table, a filter, a
 * chart and a request. Run it with `npm run film` after the screens have changed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser, signIn } from '../test/support/browser.ts'
import { startOqs, waitForLine } from '../test/support/oqs-process.ts'
import { animatedWebp, type Frame } from './docs/animated-webp.ts'

const FILM = 'docs/images/film.webp'
const DATA = 'docs/examples/tutorial/rides.csv'
const SIZE = { width: 1100, height: 700 }
const QUALITY = 0.72
const MAX_BYTES = 1_000_000
/** Only ends what hangs. */
const HANGS_AFTER_MS = 120_000
const TOKEN = 'token-of-the-film-service'

const folder = mkdtempSync(join(tmpdir(), 'oqs-film-'))
try {
  await using service = startOqs(['serve'], {
    OQS_PORT: '0',
    OQS_STORE: `sqlite:${join(folder, 'oqs.db')}`,
    OQS_ADMIN_TOKEN: TOKEN,
  })
  const url = await waitForLine(service, 'listening on ')
  await using browser = await openBrowser()
  const page = await browser.newPage({ viewport: SIZE, locale: 'en-GB', timezoneId: 'UTC' })
  page.setDefaultTimeout(HANGS_AFTER_MS)
  const encoder = await browser.newPage()
  const frames: Frame[] = []
  await playScenes(page, url, async (durationMs) => {
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' })
    const change = await encodeChange(encoder, picture.toString('base64'))
    if (change !== undefined) {
      const { webp, ...place } = change
      frames.push({ ...place, durationMs, picture: Buffer.from(webp, 'base64') })
    }
  })
  const film = animatedWebp(frames, SIZE.width, SIZE.height)
  if (film.length > MAX_BYTES) throw new Error(`the film has ${film.length} bytes`)
  writeFileSync(FILM, film)
  console.log(`${frames.length} pictures, ${film.length} bytes in ${FILM}`)
} finally {
  rmSync(folder, { recursive: true })
}

async function playScenes(page: Page, url: string, shoot: (ms: number) => Promise<void>) {
  await prepareDrop(page)
  await signIn(page, url, TOKEN)
  await page.goto(url)
  await page.getByRole('button', { name: 'Load a file' }).waitFor()
  await shoot(1200)

  await page.locator('body').dispatchEvent('film:drop', { bubbles: true })
  await page.getByLabel('Name of the type').waitFor()
  await page.getByRole('button', { name: /^Load [\d,]+ rows/ }).waitFor()
  await shoot(2400)

  await page.getByRole('button', { name: /^Load [\d,]+ rows/ }).click()
  await page.getByRole('link', { name: 'Open the table' }).click()
  await page.getByRole('gridcell').first().waitFor()
  const values = page.getByRole('navigation', { name: 'Values' })
  await values.getByText('true').first().waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.waitForLoadState('networkidle')
  await shoot(2400)

  await values.getByText('true').first().click()
  await page.waitForURL(/w=electric:eq:true/)
  await page.waitForLoadState('networkidle')
  await shoot(2000)

  await page.getByRole('button', { name: 'Charts' }).click()
  const pick = (label: string) => page.getByRole('combobox', { name: label, exact: true })
  await pick('Measure').selectOption('Average')
  await pick('By').selectOption('From')
  await page.getByRole('group', { name: 'Average of Minutes by From' }).waitFor()
  await page.waitForLoadState('networkidle')
  await shoot(2400)

  await pick('By').selectOption('Started')
  await page.getByRole('group', { name: /^Average of Minutes by Started/ }).waitFor()
  await page.waitForLoadState('networkidle')
  await shoot(2000)

  await page.getByRole('button', { name: 'Request' }).click()
  const request = page.getByRole('complementary', { name: 'The request behind this view' })
  await request.locator('pre').first().waitFor()
  await page.waitForLoadState('networkidle')
  await shoot(3200)
}

/** Lets the script drop the file: the policy of the page forbids to evaluate code in it later. */
async function prepareDrop(page: Page): Promise<void> {
  const content = JSON.stringify(readFileSync(DATA, 'utf8'))
  await page.addInitScript(`addEventListener('film:drop', () => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([${content}], 'rides.csv'))
    for (const type of ['dragenter', 'dragover', 'drop']) {
      document.body.dispatchEvent(
        new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
      )
    }
  })`)
}

interface Change {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** In base64. */
  readonly webp: string
}

/** Encodes the part of a picture that differs from the last one; undefined if nothing does. */
async function encodeChange(encoder: Page, png: string): Promise<Change | undefined> {
  return encoder.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob('${png}'), (each) => each.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes]))
    const { width, height } = bitmap
    const draw = (left, top, w, h) => {
      const canvas = new OffscreenCanvas(w, h)
      const context = canvas.getContext('2d', { alpha: false })
      context.drawImage(bitmap, -left, -top)
      return { canvas, context }
    }
    const pixels = new Uint32Array(draw(0, 0, width, height).context.getImageData(0, 0, width, height).data.buffer)
    const last = globalThis.last
    globalThis.last = pixels
    let [left, top, right, bottom] = [width, height, 0, 0]
    for (let at = 0; at < pixels.length; at += 1) {
      if (last !== undefined && pixels[at] === last[at]) continue
      const [x, y] = [at % width, Math.floor(at / width)]
      left = Math.min(left, x)
      right = Math.max(right, x + 1)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y + 1)
    }
    if (right === 0) return undefined
    // Positions in a film are even.
    left -= left % 2
    top -= top % 2
    const { canvas } = draw(left, top, right - left, bottom - top)
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${QUALITY} })
    const webp = btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (each) => String.fromCharCode(each)).join(''))
    return { x: left, y: top, width: right - left, height: bottom - top, webp }
  })()`)
}
