/** Moves among the heads of the columns: the table is one stop of the Tab key, and arrows do the rest. */
import type { KeyboardEvent } from 'react'

const BUTTONS = '[role="columnheader"] button:not([popover] *)'

/** Gives the focus to the head of a column. */
export function focusHeader(grid: HTMLElement | null, column: number): void {
  const head = `[role="columnheader"][aria-colindex="${column + 1}"]`
  const button = grid?.querySelector<HTMLElement>(`${head} button`)
  button?.focus({ preventScroll: true })
  button?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/** Handles a key of a head; `leave` goes down to the cells of its column. */
export function moveInHeader(event: KeyboardEvent, leave: (column: number) => void): void {
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
  const button = event.target as HTMLElement
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(BUTTONS)]
  const at = buttons.indexOf(button)
  // The table itself has the focus if it has no rows.
  if (event.target === event.currentTarget && event.key === 'ArrowUp') buttons[0]?.focus()
  if (at === -1) return
  const column = Number(button.closest('[aria-colindex]')?.getAttribute('aria-colindex')) - 1
  const moves: Readonly<Record<string, () => void>> = {
    ArrowRight: () => buttons[at + 1]?.focus(),
    ArrowLeft: () => buttons[at - 1]?.focus(),
    Home: () => buttons[0]?.focus(),
    End: () => buttons.at(-1)?.focus(),
    ArrowDown: () => leave(column),
  }
  const move = moves[event.key]
  if (move === undefined) return
  event.preventDefault()
  move()
}
