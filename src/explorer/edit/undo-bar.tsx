import { useEffect } from 'react'
import { useUndo } from '../session/use-undo.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './edit.module.css'

/** Says what was written last, and takes it back. */
export function UndoBar() {
  const { change, failure, isUndoing, undo, dismiss } = useUndo()
  useEffect(() => () => change?.release?.(), [change])
  if (change === null) return null
  return (
    <div className={styles.undo} role="status">
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
