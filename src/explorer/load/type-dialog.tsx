/** Renames an object type, or deletes it with its objects. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { countOf } from '../../contract/count-of.ts'
import { screenPath } from '../api/base-path.ts'
import { nameOf, wordsOf } from '../api/ontology.ts'
import { countsQuery } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { useRecord } from '../session/use-writes.ts'
import { Button, type ButtonProps, ErrorNote } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { submits, TextField } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'
import { type ShownType, typePathOf } from '../view/type-view.ts'
import { renameType } from './apply-type.ts'
import { mistakeInName } from './type-draft.ts'

export interface TypeDialogProps extends ShownType {
  readonly onClose: () => void
}

export function TypeDialog({ ontology, objectType, onClose }: TypeDialogProps) {
  const form = useId()
  const [apiName, setApiName] = useState(objectType.apiName)
  const [displayName, setDisplayName] = useState(objectType.displayName ?? '')
  const [isConfirming, setConfirming] = useState(false)
  const { rename, remove, isBusy, error } = useTypeChanges({ ontology, objectType, onClose })

  const isRenamed = apiName !== objectType.apiName
  const isTaken = isRenamed && ontology.objectTypes.some((type) => type.apiName === apiName)
  const mistake = isTaken
    ? `${ontology.apiName} has a type of this name already.`
    : mistakeInName(apiName)
  const isSame = !isRenamed && displayName.trim() === (objectType.displayName ?? '')
  const isReady = !isBusy && !isSame && mistake === undefined
  const title = `${isConfirming ? 'Delete' : 'Object type'} ${nameOf(objectType)}`
  const foot = !isConfirming && (
    <>
      <Button kind="danger" disabled={isBusy} onClick={() => setConfirming(true)}>
        Delete the type…
      </Button>
      <span className="flex-1" />
    </>
  )
  const action: ButtonProps = isConfirming
    ? {
        kind: 'danger',
        disabled: isBusy,
        onClick: () => void remove(),
        children: isBusy ? 'Deleting…' : 'Delete the type and its objects',
      }
    : { type: 'submit', form, disabled: !isReady, children: isBusy ? 'Renaming…' : 'Rename' }
  return (
    <Dialog label={title} width={640} isTyped={!isSame} {...{ onClose, foot, error, action }}>
      {isConfirming ? (
        <DeletedParts ontology={ontology} objectType={objectType} />
      ) : (
        <form
          id={form}
          className="grid gap-4 text-base leading-5"
          onSubmit={submits(() => isReady && rename(apiName, displayName.trim()))}
        >
          <TextField
            label="Name on the screen"
            value={displayName}
            placeholder={wordsOf(apiName)}
            onChange={setDisplayName}
          />
          <TextField
            label="API name, which is part of addresses and requests"
            value={apiName}
            spellCheck={false}
            error={mistake}
            onChange={setApiName}
          />
          {isRenamed && (
            <p className="warning">
              Objects and links stay. Programs, policies and saved addresses that use “
              {objectType.apiName}” no longer find the type.
            </p>
          )}
        </form>
      )}
    </Dialog>
  )
}

/** Renames or deletes a type, and shows a page that exists. */
function useTypeChanges({ ontology, objectType, onClose }: TypeDialogProps) {
  const { service } = useSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  const record = useRecord()
  const { run, isBusy, error } = useTask()
  const change = (work: () => Promise<{ readonly to: '/'; readonly text: string }>) =>
    run(async () => {
      const { to, text } = await work()
      await client.invalidateQueries({ queryKey: ['definition', ontology.apiName] })
      await navigate({ to })
      record({ text })
      onClose()
    })
  const rename = (apiName: string, displayName: string) =>
    change(async () => {
      await renameType(ontology.apiName, objectType.apiName, { apiName, displayName })
      const text = `Renamed ${objectType.apiName} to ${apiName}.`
      return { to: screenPath(ontology.apiName, apiName), text }
    })
  const remove = () =>
    change(async () => {
      const deleted = await service.administration.deleteObjectType(
        typePathOf({ ontology, objectType }),
        { cascade: true },
      )
      const { objects } = deleted as { readonly objects: number }
      const text = `Deleted ${objectType.apiName} with ${countOf(objects, 'object')}.`
      return { to: screenPath(ontology.apiName), text }
    })
  return { rename, remove, isBusy, error }
}

/** What goes with a type, counted when the user asks. */
function DeletedParts({ ontology, objectType: { apiName } }: ShownType) {
  const { service } = useSession()
  const { data, error } = useQuery({
    ...countsQuery(service, ontology.apiName),
    queryKey: ['counts', ontology.apiName, 'before deletion'],
    staleTime: 0,
    gcTime: 0,
  })
  const links = (ontology.linkTypes ?? []).filter(({ from, to }) => [from, to].includes(apiName))
  const count = data?.objectTypes[apiName]?.count
  return (
    <div
      role="status"
      className="grid gap-3 text-base leading-5 [&_ul]:mt-1 [&_ul]:mb-0 [&_ul]:pl-5"
    >
      {error !== null && <ErrorNote error={error} />}
      <p>
        {count === undefined
          ? 'Counting the objects…'
          : `This deletes ${apiName} with ${count === 0 ? 'no objects' : countOf(count, 'object')}${
              links.length === 0 ? '' : ` and ${countOf(links.length, 'link type')}`
            }. It cannot be undone: export the objects first if you may need them again.`}
      </p>
      {links.length > 0 && (
        <ul>
          {links.map(({ apiName: link, from, to }) => (
            <li key={`${from} ${link}`}>
              {link}: from {from} to {to}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
