import { type KeyboardEvent, useRef, useState } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import { IconButton } from '../ui/controls.tsx'
import { submits } from '../ui/fields.tsx'
import type { Column } from './columns.ts'
import { findInRows } from './find-in-rows.ts'
import { useObjects } from './use-objects.ts'

/** Searches the rows that were read, whether they are rendered or not. */
export function FindBar({ columns }: { readonly columns: readonly Column[] }) {
  const { walk: viewWalk, grid, setFinding } = useObjects()
  const { walk, rows } = viewWalk
  const close = () => setFinding(false)
  const [text, setText] = useState('')
  const [note, setNote] = useState('')
  const last = useRef(-1)
  const find = async (isBackward: boolean) => {
    const found = await findInRows(rows, columns, { text, from: last.current, isBackward })
    const result = found === undefined ? 'Not found' : `Row ${formatCount(found.row + 1)}`
    setNote(walk.hasEvicted ? `${result}; only rows still in memory were searched` : result)
    if (found === undefined) return
    last.current = found.row
    grid.current?.goTo(found)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    if (event.key === 'Enter' && event.shiftKey) {
      event.preventDefault()
      void find(true)
    }
  }
  return (
    <form
      className="absolute top-10 right-5 z-4 flex items-center gap-0.5 p-1 border border-line rounded-lg bg-panel shadow-lg"
      onSubmit={submits(() => find(false))}
      aria-label="Find in the rows that were read"
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the bar has just been opened to type into
        autoFocus
        className="w-50 h-7 px-2 border border-edge rounded-md bg-transparent text-base"
        aria-label="Find"
        placeholder={`Find in ${formatCount(rows.readCount)} rows`}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          last.current = -1
        }}
        onKeyDown={onKeyDown}
      />
      <span className="label min-w-18 px-1.5" role="status">
        {note}
      </span>
      <IconButton icon="up" label="Previous" onClick={() => void find(true)} />
      <IconButton icon="down" label="Next" type="submit" />
      <IconButton icon="close" label="Close" onClick={close} />
    </form>
  )
}
