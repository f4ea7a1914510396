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
  const [failure, setFailure] = useState<{
    readonly change: WrittenChange
    readonly message: string
  }>()
  const [isUndoing, setUndoing] = useState(false)
  if (lastChange === null) return null
  const undo = async () => {
    setFailure(undefined)
    setUndoing(true)
    try {
      await undoChange(send, lastChange)
      setLastChange(null)
      await refresh()
    } catch (error) {
      const message = isConflict(error)
        ? 'Not undone: the object was changed again since.'
        : (error as Error).message
      setFailure({ change: lastChange, message })
    } finally {
      setUndoing(false)
    }
  }
  return (
    <div className={styles.undo} role="status">
      <span>{failure?.change === lastChange ? failure.message : describe(lastChange)}</span>
      <Button disabled={isUndoing} onClick={() => void undo()}>
        {isUndoing ? 'Undoing…' : 'Undo'}
      </Button>
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
