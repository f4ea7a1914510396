import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { Button, Icon } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import type { Column } from './columns.ts'
import { type FoundCell, findInRows } from './find-in-rows.ts'
import type { ViewWalk } from './use-walk.ts'

export interface FindBarProps {
  readonly walk: ViewWalk
  readonly columns: readonly Column[]
  readonly onFound: (cell: FoundCell) => void
  readonly onClose: () => void
}

/** Searches the rows that were read, whether they are rendered or not. */
export function FindBar({ walk: { walk, state }, columns, onFound, onClose }: FindBarProps) {
  const [text, setText] = useState('')
  const [note, setNote] = useState('')
  const last = useRef(-1)
  const find = async (isBackward: boolean) => {
    const found = await findInRows(walk, columns, { text, from: last.current, isBackward })
    const result = found === undefined ? 'Not found' : `Row ${formatCount(found.row + 1)}`
    setNote(walk.hasEvicted ? `${result}; only rows still in memory were searched` : result)
    if (found === undefined) return
    last.current = found.row
    onFound(found)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void find(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    if (event.key === 'Enter' && event.shiftKey) {
      event.preventDefault()
      void find(true)
    }
  }
  return (
    <form
      className="absolute top-10 right-5 z-4 flex items-center gap-0.5 p-1 border border-line rounded-lg bg-panel shadow-lg"
      onSubmit={submit}
      aria-label="Find in the rows that were read"
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: the bar has just been opened to type into
        autoFocus
        className="w-50 h-7 px-2 border border-edge rounded-md bg-transparent text-base"
        aria-label="Find"
        placeholder={`Find in ${formatCount(state.rowCount)} rows`}
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
      <Button kind="quiet" aria-label="Previous" onClick={() => void find(true)}>
        <Icon name="up" size={14} />
      </Button>
      <Button kind="quiet" type="submit" aria-label="Next">
        <Icon name="down" size={14} />
      </Button>
      <Button kind="quiet" aria-label="Close" onClick={onClose}>
        <Icon name="close" size={14} />
      </Button>
    </form>
  )
}
