/** Plants a bug in a copy of the source. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import type { PlantedBug } from './planted-bugs.ts'

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
const COPIED = ['src', 'test/simulation', 'test/support', 'package.json']

/** Returns a folder with the source and a bug in it; disposing removes it. */
export function plantBug(bug: PlantedBug): TempFolder {
  const copy = tempFolder()
  try {
    for (const name of COPIED) {
      cpSync(join(CHECKOUT, name), join(copy.path, name), { recursive: true })
    }
    symlinkSync(join(CHECKOUT, 'node_modules'), join(copy.path, 'node_modules'))
    writeFileSync(join(copy.path, bug.file), plantedText(bug))
    return copy
  } catch (error) {
    copy[Symbol.dispose]()
    throw error
  }
}

/** Returns the text of the file with the bug. Throws if the source has changed too much. */
export function plantedText({ name, file, edits }: PlantedBug): string {
  return edits.reduce(
    (text, [from, to]) => {
      const parts = text.split(from)
      if (parts.length !== 2) {
        throw new Error(`"${name}": ${file} has ${parts.length - 1} times ${JSON.stringify(from)}`)
      }
      return parts.join(to)
    },
    readFileSync(join(CHECKOUT, file), 'utf8'),
  )
}
