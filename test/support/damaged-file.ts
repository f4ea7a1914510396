/** Damages database files, as a failing disk or a faulty program would. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

export interface FilePage {
  /** The table or index that the page belongs to. */
  readonly name: string
  /** The offset of the page in the file. */
  readonly offset: number
  readonly bytes: number
  /** An overflow page has only the rest of a long value. */
  readonly kind: 'internal' | 'leaf' | 'overflow'
}

/** Lists the pages of a database that no other process uses. */
export function pagesOf(file: string): FilePage[] {
  using db = new DatabaseSync(file)
  const rows = db.prepare('SELECT name, pagetype, pgoffset, pgsize FROM dbstat').all()
  return rows.map(({ name, pagetype, pgoffset, pgsize }) => ({
    name: String(name),
    kind: pagetype as FilePage['kind'],
    offset: Number(pgoffset),
    bytes: Number(pgsize),
  }))
}

/** Overwrites bytes of a file, which this process must not have open through SQLite. */
export function overwrite(file: string, offset: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+')
  try {
    writeSync(descriptor, bytes, 0, bytes.length, offset)
  } finally {
    closeSync(descriptor)
  }
}

export function overwritePages(file: string, pages: readonly FilePage[], value = 0): void {
  for (const { offset, bytes } of pages) overwrite(file, offset, Buffer.alloc(bytes, value))
}
