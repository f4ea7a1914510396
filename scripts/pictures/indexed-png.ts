/**
 * Makes screenshots small: a PNG in true colour becomes one with a palette of 256 colours. Pages of the
 * explorer have few colours besides the shades at the edges of letters, so that the eye sees no loss.
 */
import { crc32, deflateSync } from 'node:zlib'
import type { Browser } from 'playwright-core'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const COLOURS = 256

interface Image {
  readonly width: number
  readonly height: number
  /** Colours as 0xRRGGBB, row by row. */
  readonly pixels: Uint32Array
}

/** Returns the picture with a palette. Transparency is dropped: screenshots have none. */
export async function toIndexedPng(browser: Browser, png: Buffer): Promise<Buffer> {
  const { width, height, pixels } = await readPixels(browser, png)
  const palette = choosePalette(pixels)
  const indexes = new Map<number, number>()
  const rows = Buffer.alloc(height * (width + 1))
  for (const [at, colour] of pixels.entries()) {
    const index = indexes.get(colour) ?? nearest(palette, colour)
    indexes.set(colour, index)
    rows[at + Math.floor(at / width) + 1] = index
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((colour) => channelsOf(colour)))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The most frequent colours, no two of them hard to tell apart. */
function choosePalette(pixels: Uint32Array): readonly number[] {
  const counts = new Map<number, number>()
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour)
  const palette: number[] = []
  for (const colour of byCount) {
    if (palette.length === COLOURS) break
    const closest = palette[nearest(palette, colour)]
    if (closest === undefined || distance(closest, colour) > 48) palette.push(colour)
  }
  return palette
}

function nearest(palette: readonly number[], colour: number): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (const [index, each] of palette.entries()) {
    const apart = distance(each, colour)
    if (apart < least) [best, least] = [index, apart]
  }
  return best
}

/** The square of how far two colours are apart. */
function distance(a: number, b: number): number {
  const red = (a >> 16) - (b >> 16)
  const green = ((a >> 8) & 255) - ((b >> 8) & 255)
  const blue = (a & 255) - (b & 255)
  return red * red + green * green + blue * blue
}

function channelsOf(colour: number): number[] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255]
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** Has the browser decode the picture. */
async function readPixels(browser: Browser, png: Buffer): Promise<Image> {
  const page = await browser.newPage()
  // As a text, because the types of the browser are not known here.
  const { width, height, rgba } = await page.evaluate<{
    readonly width: number
    readonly height: number
    readonly rgba: string
  }>(`(async () => {
    const response = await fetch('data:image/png;base64,${png.toString('base64')}')
    const image = await createImageBitmap(await response.blob())
    const { width, height } = image
    const canvas = new OffscreenCanvas(width, height).getContext('2d')
    canvas.drawImage(image, 0, 0)
    const { data } = canvas.getImageData(0, 0, width, height)
    return { width, height, rgba: new Uint8Array(data.buffer).toBase64() }
  })()`)
  await page.close()
  const bytes = Buffer.from(rgba, 'base64')
  const length = width * height
  const pixels = Uint32Array.from({ length }, (_, at) => bytes.readUIntBE(4 * at, 3))
  return { width, height, pixels }
}
