import { useState } from 'react'
import { messageOf } from '../api/service.ts'
import { useSession } from './session.tsx'
import { type LastChange, useLastChange, useRefresh } from './use-writes.ts'

export interface Undo {
  readonly change: LastChange | null
  /** Why it could not be taken back. */
  readonly failure: string | undefined
  readonly isUndoing: boolean
  readonly undo: () => Promise<void>
  readonly dismiss: () => void
}

/** The last change of this tab, and what takes it back. */
export function useUndo(): Undo {
  const { service } = useSession()
  const { lastChange: change, setLastChange } = useLastChange()
  const refresh = useRefresh()
  const [failure, setFailure] = useState<{
    readonly change: LastChange | null
    readonly message: string
  }>()
  const [isUndoing, setUndoing] = useState(false)
  const undo = async () => {
    setFailure(undefined)
    setUndoing(true)
    try {
      const text = await change?.undo?.(service)
      setLastChange(text === undefined ? null : { text })
      await refresh()
    } catch (error) {
      setFailure({ change, message: messageOf(error) })
    } finally {
      setUndoing(false)
    }
  }
  return {
    change,
    failure: failure?.change === change ? failure?.message : undefined,
    isUndoing,
    undo,
    dismiss: () => setLastChange(null),
  }
}
