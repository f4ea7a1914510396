import { useEffect } from 'react'
import { useUndo } from '../session/use-undo.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** Says what was written last, and takes it back. */
export function UndoBar() {
  const { change, failure, isUndoing, undo, dismiss } = useUndo()
  useEffect(() => () => change?.release?.(), [change])
  if (change === null) return null
  return (
    <div
      className="fixed top-auto right-0 bottom-12 left-0 z-20 flex items-center gap-3 w-fit max-w-[calc(100vw_-_24px)] my-0 mx-auto pt-2 pr-2 pb-2 pl-4 border border-line rounded-lg bg-panel shadow-lg text-base"
      role="status"
    >
      <span>{failure ?? change.text}</span>
      {change.undo !== undefined && (
        <Button disabled={isUndoing} onClick={() => void undo()}>
          {isUndoing ? 'Undoing…' : 'Undo'}
        </Button>
      )}
      <Button kind="quiet" aria-label="Dismiss" onClick={dismiss}>
        <Icon name="close" size={14} />
      </Button>
    </div>
  )
}
