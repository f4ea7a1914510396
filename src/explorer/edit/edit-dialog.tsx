/** Edits or creates an object: a form or JSON, then the changes, then the write. */
import { useState } from 'react'
import { keyText, nameOf } from '../api/ontology.ts'
import type { ObjectAddress } from '../queries/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Segments } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'
import { changesOf } from '../view/differences.ts'
import { mergeChanges } from './object-draft.ts'
import { ChangeList, DraftFields, useDraft } from './property-fields.tsx'
import {
  isConflict,
  readObject,
  type TaggedObject,
  type WrittenChange,
  writeObject,
} from './write-object.ts'

export interface EditDialogProps {
  readonly address: Omit<ObjectAddress, 'key'>
  /** The object as it was read; undefined to create one. */
  readonly base: TaggedObject | undefined
  readonly onClose: () => void
  readonly onWritten: (change: WrittenChange) => void
}

export function EditDialog(props: EditDialogProps) {
  const { objectType } = props.address
  const edit = useEdit(props)
  const { draft, base, changes, theirs, isReview } = edit
  const label = base === undefined ? `New ${nameOf(objectType)}` : `Edit ${nameOf(objectType)}`
  // A new object lacks its key at first, which nobody has typed.
  const isWrong = (name: string) => base !== undefined || name !== objectType.primaryKey
  return (
    <Dialog
      label={label}
      title={isReview ? 'Review the changes' : label}
      width={720}
      onClose={props.onClose}
      isTyped={changes.length > 0 || Object.keys(draft.written.mistakes).some(isWrong)}
      error={edit.error}
      tools={
        !isReview && (
          <Segments
            label="Form"
            options={{ form: 'Form', json: 'JSON' }}
            value={draft.form}
            onChange={draft.changeForm}
          />
        )
      }
      foot={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <EditButtons {...edit} />
        </>
      }
    >
      {theirs !== undefined && (
        <section
          className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,280px),1fr))] gap-4"
          aria-label="Both versions"
        >
          <div>
            <h3 className="mb-2 text-base">Your changes</h3>
            <ChangeList changes={changes} />
          </div>
          <div>
            <h3 className="mb-2 text-base">Changes of somebody else</h3>
            <ChangeList
              changes={changesOf(objectType, base?.properties ?? {}, theirs.properties)}
            />
          </div>
        </section>
      )}
      {!isReview ? (
        <DraftFields draft={draft} objectType={objectType} isKeyFixed={base !== undefined} />
      ) : (
        theirs === undefined && <ChangeList changes={changes} />
      )}
    </Dialog>
  )
}

/** The object while it is edited, and what the buttons do with it. */
function useEdit({ address, base: opened, onWritten }: EditDialogProps) {
  const { objectType } = address
  const { service } = useSession()
  const [base, setBase] = useState(opened)
  const [isReview, setReview] = useState(false)
  const [theirs, setTheirs] = useState<TaggedObject>()
  const [isResolved, setResolved] = useState(false)
  const { run, isBusy, error } = useTask()
  const draft = useDraft(objectType, address.ontology.valueTypes, base?.properties)
  const { properties } = draft.written
  const before = base?.properties ?? {}
  const save = () =>
    run(async () => {
      setResolved(false)
      // Only a key with a default may be missing.
      const key = properties[objectType.primaryKey] ?? crypto.randomUUID()
      const target = { ...address, key: keyText(key as string) }
      try {
        onWritten(await writeObject(service, target, base, properties))
      } catch (reason) {
        if (isConflict(reason)) {
          setTheirs(await readObject(service, target).catch(() => undefined))
        }
        throw reason
      }
    })
  /** Continues from the version of somebody else, with or without the changes made here. */
  const rebase = (isTaken: boolean) => {
    if (theirs === undefined) return
    draft.reset(
      isTaken ? theirs.properties : mergeChanges(before, properties, theirs.properties),
      isTaken ? 'form' : draft.form,
    )
    setBase(theirs)
    if (isTaken) setReview(false)
    setTheirs(undefined)
    setResolved(true)
  }
  const changes = changesOf(objectType, before, properties)
  const shownError = isResolved ? undefined : error
  const step = { isReview, setReview, save, isBusy, error: shownError }
  return { base, draft, changes, theirs, rebase, ...step }
}

/** The buttons of a step: the form, the review, or the choice between two versions. */
function EditButtons(edit: ReturnType<typeof useEdit>) {
  const { base, draft, changes, theirs, rebase, isReview, setReview, save, isBusy } = edit
  if (theirs !== undefined) {
    return (
      <>
        <Button onClick={() => rebase(true)}>Take theirs</Button>
        <Button kind="primary" onClick={() => rebase(false)}>
          Keep mine
        </Button>
      </>
    )
  }
  if (!isReview) {
    return (
      <Button kind="primary" disabled={draft.hasMistakes} onClick={() => setReview(true)}>
        Review
      </Button>
    )
  }
  return (
    <>
      <Button onClick={() => setReview(false)}>Back to the form</Button>
      <Button kind="primary" disabled={isBusy || changes.length === 0} onClick={() => void save()}>
        {isBusy ? 'Saving…' : base === undefined ? 'Create' : 'Save'}
      </Button>
    </>
  )
}
