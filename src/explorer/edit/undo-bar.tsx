import { useState } from 'react'
import { useSession } from '../shell/session.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './edit.module.css'
import { useLastChange, useRefresh } from './use-writes.ts'
import { isConflict, undoChange, type WrittenChange } from './write-object.ts'

/** Says what was written last, and takes it back. */
export function UndoBar() {
  const { send } = useSession()
  const { lastChange, setLastChange } = useLastChange()
  const refresh = useRefresh()
  const [message, setMessage] = useState<string>()
  if (lastChange === null) return null
  const undo = async () => {
    setMessage(undefined)
    try {
      await undoChange(send, lastChange)
      setLastChange(null)
      await refresh()
    } catch (error) {
      setMessage(
        isConflict(error)
          ? 'Not undone: the object was changed again since.'
          : (error as Error).message,
      )
    }
  }
  return (
    <div className={styles.undo} role="status">
      <span>{message ?? describe(lastChange)}</span>
      <Button onClick={() => void undo()}>Undo</Button>
      <Button kind="quiet" aria-label="Dismiss" onClick={() => setLastChange(null)}>
        <Icon name="close" size={14} />
      </Button>
    </div>
  )
}

function describe({ address, before, after }: WrittenChange): string {
  const verb = after === undefined ? 'Deleted' : before === undefined ? 'Created' : 'Saved'
  return `${verb} “${address.key}”.`
}
