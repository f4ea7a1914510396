import type { Administration } from '../../client/endpoints/administration.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import type { JournalEntry } from './change-journal.ts'
import type { ReadStored } from './stored-objects.ts'

export interface UndoResult {
  /** New objects that were removed. */
  readonly removed: number
  /** Changed objects that have their state before the load again. */
  readonly restored: number
  /** Objects that were changed again since; they stay as they are. */
  readonly skipped: number
}

const BATCH_OBJECTS = 1000

/**
 * Takes changes back: removes new objects, and restores changed ones. Objects that are neither in the
 * state before nor in the state after the load were changed by somebody else, and stay as they are.
 */
export async function undoChanges(
  administration: Administration,
  type: TypePath,
  entries: Iterable<JournalEntry>,
  readStored: ReadStored,
): Promise<UndoResult> {
  const result = { removed: 0, restored: 0, skipped: 0 }
  const undo = async (batch: readonly JournalEntry[]) => {
    const stored = await readStored(batch.map(({ key }) => key))
    const lines: string[] = []
    let removed = 0
    for (const { key, before, after } of batch) {
      const now = stored.get(key)
      if (now === before) continue
      if (now !== after) {
        result.skipped += 1
        continue
      }
      if (before === undefined) removed += 1
      lines.push(before === undefined ? `{"delete":${key}}\n` : `{"put":${before}}\n`)
    }
    if (lines.length > 0) await administration.writeObjects(type, lines.join(''))
    result.removed += removed
    result.restored += lines.length - removed
  }
  let batch: JournalEntry[] = []
  for (const entry of entries) {
    batch.push(entry)
    if (batch.length < BATCH_OBJECTS) continue
    await undo(batch)
    batch = []
  }
  await undo(batch)
  return result
}
