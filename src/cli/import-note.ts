/**
 * A note of how far an import has come, in the state folder of the user. It exists while an import
 * runs and after it has stopped, so that the same command continues. A command with other options or
 * changed files has another note.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Administration } from '../client/endpoints/administration.ts'
import type { ImportCursor } from '../transfer/import/import-cursor.ts'
import type { EarlierReading } from '../transfer/import/import-type.ts'
import { homeFolder } from './home-folder.ts'

export class ImportNote {
  readonly #path: string
  #saved = 0
  /** How the rows are read, so that a continued import need not infer it again. */
  reading: EarlierReading | undefined

  private constructor(path: string) {
    this.#path = path
  }

  /**
   * Returns undefined if a file is not a regular one, because a pipe cannot be read again, and if
   * another process runs the same import.
   */
  static async of(
    files: readonly string[],
    /** Everything else that determines which objects are sent where. */
    request: Readonly<Record<string, unknown>>,
  ): Promise<ImportNote | undefined> {
    const folder = stateFolder()
    if (folder === undefined) return undefined
    const states: unknown[] = []
    for (const file of files) {
      const stats = file === '-' ? undefined : await stat(file).catch(() => undefined)
      if (!stats?.isFile()) return undefined
      states.push([resolve(file), stats.size, stats.mtimeMs])
    }
    const text = JSON.stringify([states, Object.entries(request).toSorted()])
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
    const path = join(folder, `${name}.json`)
    const { pid } = await readNote(path)
    if (isRunning(pid)) return undefined
    await removeOldNotes(folder)
    return new ImportNote(path)
  }

  async read(): Promise<ImportCursor | undefined> {
    const { objects, version, replacement } = await readNote(this.#path)
    const isCursor = Number.isSafeInteger(objects) && Number.isSafeInteger(version)
    if (!isCursor) return undefined
    const cursor = { objects: Number(objects), version: Number(version) }
    return typeof replacement === 'string' ? { ...cursor, replacement } : cursor
  }

  /** Returns how the rows were read until the import stopped; undefined if it is not known. */
  async readReading(): Promise<EarlierReading | undefined> {
    const { reading } = await readNote(this.#path)
    try {
      return deserialize(Buffer.from(String(reading), 'base64')) as EarlierReading
    } catch {
      return undefined
    }
  }

  /** Saves progress. An import that cannot be noted starts again, which is slower but right. */
  async save(cursor: ImportCursor): Promise<void> {
    if (cursor.objects === this.#saved) return
    this.#saved = cursor.objects
    await this.#write({ ...cursor, pid: process.pid }).catch(() => {})
  }

  /** Saves where the import stopped; undefined if it must start again. */
  async end(cursor: ImportCursor | undefined): Promise<void> {
    if (cursor === undefined || cursor.objects === 0)
      await rm(this.#path, { force: true }).catch(() => {})
    else await this.#write(cursor).catch(() => {})
  }

  async #write(note: Note): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true })
    const part = `${this.#path}.${process.pid}`
    // Maps and sets, which JSON has not.
    const reading = this.reading && serialize(this.reading).toString('base64')
    await writeFile(part, `${JSON.stringify({ ...note, reading })}\n`)
    await rename(part, this.#path)
  }
}

interface Note extends ImportCursor {
  /** The process that runs the import; absent once it has stopped. */
  readonly pid?: number
  readonly reading?: string
}

interface NoteRequest {
  readonly files: readonly string[]
  readonly ontology: string
  readonly type: string
  readonly dryRun: boolean
  readonly restart: boolean
  /** Everything else that determines which objects are sent where. */
  readonly others: Readonly<Record<string, unknown>>
}

/** The note of an import into a type, and where an earlier run stopped that can be continued. */
interface FoundNote {
  readonly note: ImportNote | undefined
  readonly from: ImportCursor | undefined
}

/** Returns a function that finds the note of an import once it is known which type it writes to. */
export function noteFinder(
  administration: Administration,
  { files, ontology, type, dryRun, restart, others }: NoteRequest,
): (rid: string) => Promise<FoundNote> {
  let found: { readonly rid: string; readonly note: Promise<FoundNote> } | undefined
  const find = async (rid: string): Promise<FoundNote> => {
    const { canContinue } = await import('../transfer/import/import-cursor.ts')
    // A type that was deleted and created again has another RID.
    const note = dryRun ? undefined : await ImportNote.of(files, { ...others, type, rid })
    const left = restart ? undefined : await note?.read()
    const isLeft = left && (await canContinue(administration, { ontology, objectType: type }, left))
    return { note, from: isLeft ? left : undefined }
  }
  return (rid) => {
    if (found?.rid !== rid) found = { rid, note: find(rid) }
    return found.note
  }
}

/** Returns nothing if there is no note, or if it is damaged. */
async function readNote(path: string): Promise<Partial<Record<keyof Note, unknown>>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) ?? {}
  } catch {
    return {}
  }
}

function isRunning(pid: unknown): boolean {
  if (typeof pid !== 'number' || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Removes the notes of imports that nobody has continued for a day. */
async function removeOldNotes(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => undefined)
    if (stats !== undefined && Date.now() - stats.mtimeMs > KEPT_MS) await rm(path, { force: true })
  }
}

const KEPT_MS = 24 * 60 * 60 * 1000

function stateFolder(): string | undefined {
  const home = homeFolder()
  const base = process.env['XDG_STATE_HOME'] || (home && join(home, '.local', 'state'))
  return base && join(base, 'oqs', 'imports')
}
