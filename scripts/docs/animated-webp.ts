/** Packs still pictures as one animated WebP: https://developers.google.com/speed/webp/docs/riff_container */

export interface Frame {
  /** A still WebP without transparency. */
  readonly picture: Uint8Array
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly durationMs: number
}

/** Chunks of a still picture that hold its pixels. */
const PIXELS = ['VP8 ', 'VP8L']
const HEADER_BYTES = 12
const IS_ANIMATED = 2
/** A frame replaces the pixels below it, and stays. */
const REPLACES = 2

export function animatedWebp(frames: readonly Frame[], width: number, height: number): Buffer {
  const canvas = Buffer.concat([
    Buffer.from([IS_ANIMATED, 0, 0, 0]),
    uint24(width - 1),
    uint24(height - 1),
  ])
  // A white background, and no end of the repetitions.
  const animation = Buffer.from([255, 255, 255, 255, 0, 0])
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', canvas),
    chunk('ANIM', animation),
    ...frames.map((frame) => chunk('ANMF', frameData(frame))),
  ])
  return Buffer.concat([Buffer.from('RIFF'), uint32(body.length), body])
}

function frameData({ picture, x, y, width, height, durationMs }: Frame): Buffer {
  const numbers = [x / 2, y / 2, width - 1, height - 1, durationMs].map(uint24)
  return Buffer.concat([...numbers, Buffer.from([REPLACES]), pixelsOf(Buffer.from(picture))])
}

function pixelsOf(picture: Buffer): Buffer {
  for (let at = HEADER_BYTES; at < picture.length; ) {
    const size = picture.readUInt32LE(at + 4)
    const end = at + 8 + size + (size % 2)
    if (PIXELS.includes(picture.toString('latin1', at, at + 4))) return picture.subarray(at, end)
    at = end
  }
  throw new Error('the picture has no pixels')
}

function chunk(name: string, data: Buffer): Buffer {
  const padding = Buffer.alloc(data.length % 2)
  return Buffer.concat([Buffer.from(name), uint32(data.length), data, padding])
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntLE(value, 0, 3)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
