/** Edits or creates an object: a form or JSON, then the changes, then the write. */
import { useEffect, useRef, useState } from 'react'
import { nameOf, type ObjectTypeDefinition } from '../api/ontology.ts'
import { keyText } from '../api/records.ts'
import type { ObjectAddress } from '../data/object-queries.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Segments } from '../ui/segments.tsx'
import { ChangeList } from './change-list.tsx'
import styles from './edit.module.css'
import {
  changesBetween,
  draftOf,
  mergeChanges,
  type Properties,
  readDraft,
} from './object-draft.ts'
import { PropertyFields } from './property-fields.tsx'
import {
  createObject,
  isConflict,
  readObject,
  type TaggedObject,
  updateObject,
  type WrittenChange,
} from './write-object.ts'

export interface EditDialogProps {
  readonly address: Omit<ObjectAddress, 'key'>
  /** The object as it was read; undefined to create one. */
  readonly base: TaggedObject | undefined
  readonly onClose: () => void
  readonly onWritten: (change: WrittenChange) => void
}

type Form = 'form' | 'json'

export function EditDialog({ address, base: opened, onClose, onWritten }: EditDialogProps) {
  const { objectType } = address
  const { service } = useSession()
  const dialog = useRef<HTMLDialogElement>(null)
  const [base, setBase] = useState(opened)
  const [form, setForm] = useState<Form>('form')
  const [draft, setDraft] = useState(() => draftOf(objectType, opened?.properties ?? {}))
  const [json, setJson] = useState('')
  const [isReview, setReview] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<Error>()
  const [theirs, setTheirs] = useState<TaggedObject>()
  useEffect(() => dialog.current?.showModal(), [])

  const written =
    form === 'form'
      ? readDraft(objectType, draft, base?.properties)
      : readJson(objectType, json, base?.properties)
  const hasMistakes = Object.keys(written.mistakes).length > 0
  const changes = changesBetween(objectType, base?.properties ?? {}, written.properties)
  const changeForm = (next: Form) => {
    // A text that cannot be read stays where it was written. In the form, a missing key is no text.
    const isLost = (name: string) => form === 'json' || name !== objectType.primaryKey
    if (Object.keys(written.mistakes).some(isLost)) return
    if (next === 'json') setJson(jsonOf(written.properties))
    else setDraft(draftOf(objectType, written.properties))
    setForm(next)
  }
  const save = async () => {
    setSaving(true)
    setError(undefined)
    const key = keyText(written.properties[objectType.primaryKey] as string)
    const target: ObjectAddress = { ...address, key }
    try {
      onWritten(
        base === undefined
          ? await createObject(service, target, written.properties)
          : await updateObject(service, target, base, written.properties),
      )
    } catch (reason) {
      setError(reason as Error)
      if (isConflict(reason)) setTheirs(await readObject(service, target).catch(() => undefined))
    } finally {
      setSaving(false)
    }
  }
  /** Continues from the version of somebody else, with or without the changes made here. */
  const rebase = (isTaken: boolean) => {
    if (theirs === undefined) return
    const properties = isTaken
      ? theirs.properties
      : mergeChanges(base?.properties ?? {}, written.properties, theirs.properties)
    setBase(theirs)
    setDraft(draftOf(objectType, properties))
    setJson(jsonOf(properties))
    if (isTaken) {
      setForm('form')
      setReview(false)
    }
    setTheirs(undefined)
    setError(undefined)
  }
  const title = base === undefined ? `New ${nameOf(objectType)}` : `Edit ${nameOf(objectType)}`
  return (
    <dialog ref={dialog} className={styles.dialog} aria-label={title} onClose={onClose}>
      <header className={styles.head}>
        <h2>{isReview ? 'Review the changes' : title}</h2>
        <span className={styles.spacer} />
        {!isReview && (
          <Segments
            label="Form"
            options={['form', 'json'] as const}
            nameOf={(name) => (name === 'json' ? 'JSON' : 'Form')}
            value={form}
            onChange={changeForm}
          />
        )}
      </header>
      <div className={styles.body}>
        {error !== undefined && <ErrorNote error={error} />}
        {theirs !== undefined && (
          <Conflict
            objectType={objectType}
            before={base?.properties ?? {}}
            mine={written.properties}
            theirs={theirs.properties}
          />
        )}
        {isReview ? (
          theirs === undefined && <ChangeList changes={changes} />
        ) : form === 'form' ? (
          <PropertyFields
            objectType={objectType}
            draft={draft}
            mistakes={written.mistakes}
            isKeyFixed={base !== undefined}
            onChange={setDraft}
          />
        ) : (
          <>
            <textarea
              className={`${styles.json} mono`}
              aria-label="JSON of the properties"
              rows={16}
              spellCheck={false}
              value={json}
              onChange={(event) => setJson(event.target.value)}
            />
            {Object.values(written.mistakes).map((mistake) => (
              <p key={mistake} role="alert" className={styles.mistake}>
                {mistake}
              </p>
            ))}
          </>
        )}
      </div>
      <footer className={styles.foot}>
        <Button onClick={onClose}>Cancel</Button>
        {isReview && theirs === undefined && (
          <Button onClick={() => setReview(false)}>Back to the form</Button>
        )}
        {theirs !== undefined ? (
          <>
            <Button onClick={() => rebase(true)}>Take theirs</Button>
            <Button kind="primary" onClick={() => rebase(false)}>
              Keep mine
            </Button>
          </>
        ) : isReview ? (
          <Button
            kind="primary"
            disabled={isSaving || changes.length === 0}
            onClick={() => void save()}
          >
            {isSaving ? 'Saving…' : base === undefined ? 'Create' : 'Save'}
          </Button>
        ) : (
          <Button kind="primary" disabled={hasMistakes} onClick={() => setReview(true)}>
            Review
          </Button>
        )}
      </footer>
    </dialog>
  )
}

interface ConflictProps {
  readonly objectType: ObjectTypeDefinition
  readonly before: Properties
  readonly mine: Properties
  readonly theirs: Properties
}

/** Both versions, each against the one that the form started from. */
function Conflict({ objectType, before, mine, theirs }: ConflictProps) {
  return (
    <section className={styles.conflict} aria-label="Both versions">
      <div>
        <h3>Your changes</h3>
        <ChangeList changes={changesBetween(objectType, before, mine)} />
      </div>
      <div>
        <h3>Changes of somebody else</h3>
        <ChangeList changes={changesBetween(objectType, before, theirs)} />
      </div>
    </section>
  )
}

function jsonOf(properties: Properties): string {
  return JSON.stringify(properties, undefined, 2)
}

function readJson({ primaryKey }: ObjectTypeDefinition, json: string, base: Properties = {}) {
  try {
    const properties = JSON.parse(json) as Properties
    const key = properties?.[primaryKey]
    const mistakes: Record<string, string> = {}
    if (key === undefined) mistakes[primaryKey] = 'Every object needs its primary key.'
    else if (base[primaryKey] !== undefined && key !== base[primaryKey]) {
      mistakes[primaryKey] = 'The key of an object cannot change.'
    }
    return { properties: properties ?? {}, mistakes }
  } catch (error) {
    return { properties: {}, mistakes: { json: `This is not JSON: ${(error as Error).message}.` } }
  }
}
