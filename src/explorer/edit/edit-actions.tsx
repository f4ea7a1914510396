/** The buttons that edit and delete an object, or create one; only for callers that may write. */
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { nameOf } from '../api/ontology.ts'
import { type ObjectAddress, objectPath } from '../data/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { useCanWrite, useLastChange, useRefresh } from '../session/use-writes.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { lazyDialog } from '../ui/lazy-part.tsx'
import styles from './edit.module.css'
import {
  deleteObject,
  readObject,
  type TaggedObject,
  undoable,
  type WrittenChange,
} from './write-object.ts'

// Loaded when it is first opened: most visits only read.
const EditDialog = lazyDialog('edit', async () => (await import('./edit-dialog.tsx')).EditDialog)

export function EditActions({ address }: { readonly address: ObjectAddress }) {
  const canWrite = useCanWrite()
  const { service } = useSession()
  const { setLastChange } = useLastChange()
  const refresh = useRefresh()
  const navigate = useNavigate()
  const confirm = useRef<HTMLDialogElement>(null)
  const [base, setBase] = useState<TaggedObject>()
  const [isEditing, setEditing] = useState(false)
  const [error, setError] = useState<Error>()
  if (!canWrite) return null
  /** Reads the object first, so that the write is based on what is shown. */
  const read = async (then: () => void) => {
    setError(undefined)
    try {
      const found = await readObject(service, address)
      if (found === undefined) throw new Error('The object was deleted meanwhile.')
      setBase(found)
      then()
    } catch (reason) {
      setError(reason as Error)
    }
  }
  const written = (change: WrittenChange) => {
    setEditing(false)
    setLastChange(undoable(change))
    void refresh()
  }
  const remove = async () => {
    confirm.current?.close()
    if (base === undefined) return
    try {
      written(await deleteObject(service, address, base))
      const { ontology, objectType } = address
      const steps = [ontology.apiName, objectType.apiName].map(encodeURIComponent)
      void navigate({ to: `/o/${steps.join('/')}` as '/' })
    } catch (reason) {
      setError(reason as Error)
    }
  }
  return (
    <div className={styles.actions}>
      <Button onClick={() => void read(() => setEditing(true))}>Edit</Button>
      <Button kind="danger" onClick={() => void read(() => confirm.current?.showModal())}>
        Delete
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
      {isEditing && (
        <EditDialog
          address={address}
          base={base}
          onClose={() => setEditing(false)}
          onWritten={written}
        />
      )}
      <dialog ref={confirm} className={styles.dialog} aria-label="Delete the object">
        <div className={styles.body}>
          <p>
            Delete {nameOf(address.objectType)} “{address.key}”? You can undo it until you close
            this tab.
          </p>
        </div>
        <footer className={styles.foot}>
          <Button onClick={() => confirm.current?.close()}>Cancel</Button>
          <Button kind="danger" onClick={() => void remove()}>
            Delete
          </Button>
        </footer>
      </dialog>
    </div>
  )
}

/** The button that creates an object of a type. */
export function CreateAction({ address }: { readonly address: Omit<ObjectAddress, 'key'> }) {
  const canWrite = useCanWrite()
  const { setLastChange } = useLastChange()
  const refresh = useRefresh()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  if (!canWrite) return null
  const written = (change: WrittenChange) => {
    setOpen(false)
    setLastChange(undoable(change))
    void refresh()
    void navigate({ to: objectPath(change.address) as '/' })
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>New</Button>
      {isOpen && (
        <EditDialog
          address={address}
          base={undefined}
          onClose={() => setOpen(false)}
          onWritten={written}
        />
      )}
    </>
  )
}
