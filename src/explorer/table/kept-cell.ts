/**
 * The cell that the reader was in, so that going back from an object leads to its row. It belongs to
 * one list: other filters or another order are another one.
 */
import { storageKey } from '../api/base-path.ts'
import type { ActiveCell } from './use-objects.ts'

const KEY = storageKey('cell')

/** A cell, with the key of the object in its row: other rows may have come before it since. */
export interface KeptCell extends ActiveCell {
  readonly key: string
}

export function keepCell(list: string, cell: KeptCell): void {
  sessionStorage.setItem(KEY, JSON.stringify({ list, cell }))
}

/** Returns the cell that was kept for a list. */
export function readKeptCell(list: string): KeptCell | undefined {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as {
    readonly list?: string
    readonly cell?: KeptCell
  }
  return kept.list === list ? kept.cell : undefined
}
