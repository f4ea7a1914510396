import { statfsSync } from 'node:fs'

/** Of the file with its indexes about 1,500, the rest while the largest index is sorted and written. */
const BYTES_PER_OBJECT = 2200
const SPARE_BYTES = 1e9

/** Throws where the stores would not fit: a disk that is full stops others too. */
export function checkRoom(folder: string, objects: number): void {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const needed = objects * BYTES_PER_OBJECT + SPARE_BYTES
  if (free >= needed) return
  throw new Error(
    `${gigabytes(needed)} are needed in ${folder}, ${gigabytes(free)} are free: ` +
      'take fewer objects (--objects), or another disk (TMPDIR)',
  )
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`
}
