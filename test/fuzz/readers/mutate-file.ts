/** Changes a data file: its bytes, or what is in it before it is compressed or packed again. */
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import {
  readTarHeader,
  TAR_BLOCK,
  TAR_END,
  tarHeader,
  tarPadding,
} from '../../../src/formats/tar.ts'
import { mutateJson } from '../http/mutate-json.ts'
import { mutateBytes } from '../mutate-bytes.ts'
import type { Random } from '../random.ts'

export function mutateFile(name: string, bytes: Uint8Array, random: Random): Uint8Array {
  const isOuter = random.chance(0.4)
  if (!isOuter && name.endsWith('.gz')) {
    return gzipSync(mutateFile(name.slice(0, -3), gunzipSync(bytes), random), { level: 1 })
  }
  if (!isOuter && name.endsWith('.zst')) {
    return zstdCompressSync(mutateFile(name.slice(0, -4), zstdDecompressSync(bytes), random))
  }
  if (!isOuter && name.endsWith('.tar')) return mutateArchive(Buffer.from(bytes), random)
  return mutateBytes(bytes, random)
}

interface TarFile {
  readonly name: string
  readonly content: Buffer
}

/** Changes one file of an archive, and writes headers that match. */
function mutateArchive(archive: Buffer, random: Random): Buffer {
  const files = filesOf(archive)
  const at = random.below(files.length)
  const { name, content } = files[at] as TarFile
  files[at] = { name, content: mutateContent(content, random) }
  const parts = files.flatMap((file) => [
    tarHeader(file.name, file.content.length, new Date(0)),
    file.content,
    tarPadding(file.content.length),
  ])
  const packed = Buffer.concat([...parts, TAR_END])
  return random.chance(0.3) ? damageHeader(packed, random) : packed
}

function mutateContent(content: Buffer, random: Random): Buffer {
  try {
    return Buffer.from(mutateJson(JSON.parse(content.toString()), random))
  } catch {
    return mutateBytes(content, random)
  }
}

function filesOf(archive: Buffer): TarFile[] {
  const files: TarFile[] = []
  for (let at = 0; at < archive.length; ) {
    const header = readTarHeader(archive.subarray(at, at + TAR_BLOCK))
    if (header === undefined) break
    const start = at + TAR_BLOCK
    const content = archive.subarray(start, start + header.size)
    if (header.kind === 'file') files.push({ name: header.name, content })
    at = start + Math.ceil(header.size / TAR_BLOCK) * TAR_BLOCK
  }
  return files
}

/** Changes a field of the first header and corrects the checksum, so that the field is read. */
function damageHeader(archive: Buffer, random: Random): Buffer {
  const header = archive.subarray(0, TAR_BLOCK)
  const at = random.pick([0, 124, 130, 134, 156, 257, 345])
  header[at] = random.pick([0, 0x2d, 0x37, 0x4c, 0x78, 0x80, 0xff])
  header.fill(0x20, 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return archive
}
