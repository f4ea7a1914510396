/** The buttons that edit and delete an object, or create one; only for callers that may write. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { screenPath } from '../api/base-path.ts'
import { nameOf } from '../api/ontology.ts'
import { type ObjectAddress, objectPath } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { useCanWrite, useRecord, useUndo } from '../session/use-writes.ts'
import { Button, ErrorNote, IconButton } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useTask } from '../ui/hooks.ts'
import { lazyDialog } from '../ui/lazy-part.tsx'
import {
  readObject,
  type TaggedObject,
  undoable,
  type WrittenChange,
  writeObject,
} from './write-object.ts'

// Loaded when it is first opened: most visits only read.
const EditDialog = lazyDialog('edit', async () => (await import('./edit-dialog.tsx')).EditDialog)

export function EditActions({ address }: { readonly address: ObjectAddress }) {
  const canWrite = useCanWrite()
  const { service } = useSession()
  const record = useRecord()
  const navigate = useNavigate()
  const [base, setBase] = useState<TaggedObject>()
  const [step, setStep] = useState<'editing' | 'deleting'>()
  const { run, error } = useTask()
  if (!canWrite) return null
  const close = () => setStep(undefined)
  /** Reads the object first, so that the write is based on what is shown. */
  const start = (next: 'editing' | 'deleting') =>
    run(async () => {
      const found = await readObject(service, address)
      if (found === undefined) throw new Error('The object was deleted meanwhile.')
      setBase(found)
      setStep(next)
    })
  const written = (change: WrittenChange) => {
    close()
    record(undoable(change))
  }
  const remove = () =>
    run(async () => {
      close()
      if (base === undefined) return
      written(await writeObject(service, address, base, undefined))
      const { ontology, objectType } = address
      void navigate({ to: screenPath(ontology.apiName, objectType.apiName) })
    })
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => void start('editing')}>Edit</Button>
      <Button kind="danger" onClick={() => void start('deleting')}>
        Delete
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
      {step === 'editing' && (
        <EditDialog address={address} base={base} onClose={close} onWritten={written} />
      )}
      {step === 'deleting' && (
        <Dialog
          label="Delete the object"
          width={720}
          onClose={close}
          action={{ kind: 'danger', onClick: () => void remove(), children: 'Delete' }}
        >
          <p>
            Delete {nameOf(address.objectType)} “{address.key}”? You can undo it until you close
            this tab.
          </p>
        </Dialog>
      )}
    </div>
  )
}

/** The button that creates an object of a type. */
export function CreateAction({ address }: { readonly address: Omit<ObjectAddress, 'key'> }) {
  const canWrite = useCanWrite()
  const record = useRecord()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  if (!canWrite) return null
  const close = () => setOpen(false)
  const written = (change: WrittenChange) => {
    close()
    record(undoable(change))
    void navigate({ to: objectPath(change.address) })
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>New</Button>
      {isOpen && (
        <EditDialog address={address} base={undefined} onClose={close} onWritten={written} />
      )}
    </>
  )
}

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
      <IconButton icon="close" label="Dismiss" onClick={dismiss} />
    </div>
  )
}
