/**
 * Makes screenshots small: a PNG in true colour becomes one with a palette of 256 colours. Pages of the
 * explorer have few colours besides the shades at the edges of letters, so that the eye sees no loss.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const COLOURS = 256
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 6: 4 }

interface Image {
  readonly width: number
  readonly height: number
  /** Colours as 0xRRGGBB, row by row. */
  readonly pixels: Uint32Array
}

/** Returns the picture with a palette. Transparency is dropped: screenshots have none. */
export function toIndexedPng(png: Buffer): Buffer {
  const { width, height, pixels } = readPng(png)
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

/** Reads a PNG as browsers write it: eight bits a channel, not interlaced, without a palette. */
function readPng(png: Buffer): Image {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const channels = CHANNELS[png[25] ?? 0]
  if (channels === undefined || png[24] !== 8 || png[28] !== 0) {
    throw new Error('The picture is not a PNG in true colour.')
  }
  const parts: Buffer[] = []
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const bytes = unfilter(inflateSync(Buffer.concat(parts)), width * channels, channels)
  const pixels = Uint32Array.from({ length: width * height }, (_, index) =>
    bytes.readUIntBE(index * channels, 3),
  )
  return { width, height, pixels }
}

/** Each byte is stored as its difference to a guess from its neighbours; the row says which. */
function unfilter(rows: Buffer, stride: number, channels: number): Buffer {
  const height = rows.length / (stride + 1)
  const bytes = Buffer.alloc(height * stride)
  for (let row = 0; row < height; row += 1) {
    const filter = rows[row * (stride + 1)]
    for (let column = 0; column < stride; column += 1) {
      const at = row * stride + column
      const left = column < channels ? 0 : (bytes[at - channels] ?? 0)
      const up = row === 0 ? 0 : (bytes[at - stride] ?? 0)
      const corner = row === 0 || column < channels ? 0 : (bytes[at - stride - channels] ?? 0)
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0
      bytes[at] = (rows[row * (stride + 1) + 1 + column] ?? 0) + guess
    }
  }
  return bytes
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [a, b, c] = [left, up, corner].map((each) => Math.abs(guess - each)) as [
    number,
    number,
    number,
  ]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}
