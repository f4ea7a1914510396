/** Changes bytes the way damage, truncation and attacks do. */
import type { Random } from './random.ts'

/** Sizes and counts that overflow fields of one, two, four and eight bytes. */
const BOUNDARIES = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff]

/** Returns a changed copy. */
export function mutateBytes(original: Uint8Array, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(original)
  for (let count = 1 + random.below(4); count > 0; count -= 1) bytes = changeOnce(bytes, random)
  return bytes
}

function changeOnce(bytes: Buffer, random: Random): Buffer {
  if (bytes.length === 0) return Buffer.from([random.below(256)])
  const at = random.below(bytes.length)
  const length = 1 + random.below(Math.min(64, bytes.length - at))
  switch (random.below(8)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    case 2: {
      const inserted = Buffer.from(Array.from({ length }, () => random.below(256)))
      return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)])
    }
    case 3: {
      const from = random.below(bytes.length)
      const repeated = bytes.subarray(from, from + length)
      return Buffer.concat([bytes.subarray(0, at), repeated, bytes.subarray(at)])
    }
    case 4:
      return Buffer.from(bytes).fill(random.pick(BOUNDARIES), at, at + length)
    case 5: {
      const changed = Buffer.from(bytes)
      changed[at] = random.pick(BOUNDARIES)
      return changed
    }
    default: {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ (1 << random.below(8))
      return changed
    }
  }
}
