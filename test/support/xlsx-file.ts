/** Reads workbooks as far as tests need it: the cells of each sheet, as they are written. */
import { crc32, inflateRawSync } from 'node:zlib'

/** Returns the files of a zip archive, after a check of sizes and checksums. */
export function unzip(bytes: Buffer): ReadonlyMap<string, string> {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const files = new Map<string, string>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [crc, compressed, size] = [16, 20, 24].map((offset) => bytes.readUInt32LE(at + offset))
    const nameLength = bytes.readUInt16LE(at + 28)
    const start = bytes.readUInt32LE(at + 42)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const data = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
    const content = inflateRawSync(bytes.subarray(data, data + (compressed ?? 0)))
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${name} is damaged`)
    files.set(name, content.toString('utf8'))
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return files
}

const CELL = /<c r="([A-Z]+\d+)"([^>]*)>(?:<v>([^<]*)<\/v>|<is><t[^>]*>([^<]*)<\/t><\/is>)<\/c>/g

export type SheetCells = Readonly<Record<string, string | number | boolean>>

/** Returns the cells of each sheet by name: texts, numbers and booleans. */
export function readSheets(bytes: Buffer): Readonly<Record<string, SheetCells>> {
  const files = unzip(bytes)
  const workbook = files.get('xl/workbook.xml') ?? ''
  const names = [...workbook.matchAll(/<sheet name="([^"]*)"/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    names.map((name, index) => {
      const xml = files.get(`xl/worksheets/sheet${index + 1}.xml`) ?? ''
      const cells = [...xml.matchAll(CELL)].map(([, cell = '', attributes = '', value, text]) => {
        if (value === undefined) return [cell, unescapeXml(text ?? '')]
        return [cell, attributes.includes('t="b"') ? value === '1' : Number(value)]
      })
      return [name, Object.fromEntries(cells)]
    }),
  )
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

function unescapeXml(text: string): string {
  return text
    .replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/_x([0-9A-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}
