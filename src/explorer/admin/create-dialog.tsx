/** Creates a token or a client, and shows its secret once. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { ontologiesQuery } from '../api/queries.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useTask } from '../ui/use-task.ts'
import { type CredentialKind, createRequest } from './admin-queries.ts'
import { bodyOf, EMPTY_DRAFT, mistakeOf } from './credential-draft.ts'
import { CredentialFields } from './credential-fields.tsx'

export interface CreateDialogProps {
  readonly kind: CredentialKind
  readonly onClose: () => void
}

/** The members of the response that are shown; the rest is in the list. */
interface Created {
  readonly id: string
  readonly name: string
  readonly token?: string
  readonly clientSecret?: string
}

export function CreateDialog({ kind, onClose }: CreateDialogProps) {
  const { service } = useSession()
  const client = useQueryClient()
  const form = useId()
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [hasTried, setTried] = useState(false)
  const [created, setCreated] = useState<Created>()
  const { run, isBusy, error } = useTask()
  const { data: ontologies = [] } = useQuery(ontologiesQuery(service))
  const isClient = kind === 'clients'
  const mistake = mistakeOf(draft, isClient)
  const create = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (mistake !== undefined) return
    void run(async () => {
      const request = createRequest(kind, bodyOf(draft, isClient))
      setCreated(await service.connection.send<Created>(request))
      void client.invalidateQueries({ queryKey: ['admin', kind] })
    })
  }
  const label = isClient ? 'New OAuth client' : 'New API token'
  if (created !== undefined) {
    const done = (
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    )
    return (
      <Dialog
        key="created"
        label={label}
        title={`${created.name} is ready`}
        width={520}
        onClose={onClose}
        // Escape must not throw away a secret that nobody has copied yet.
        onEscape={() => {}}
        foot={done}
      >
        <Secrets created={created} isClient={isClient} />
      </Dialog>
    )
  }
  return (
    <Dialog
      label={label}
      width={520}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={form} disabled={isBusy}>
            {isBusy ? 'Creating…' : 'Create'}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-4" onSubmit={create} noValidate>
        <CredentialFields
          draft={draft}
          onChange={setDraft}
          isClient={isClient}
          ontologies={ontologies.map(({ apiName }) => apiName)}
        />
        {hasTried && mistake !== undefined && (
          <p role="alert" className="mistake">
            {mistake}
          </p>
        )}
        {error !== undefined && <ErrorNote error={error} />}
      </form>
    </Dialog>
  )
}

interface SecretsProps {
  readonly created: Created
  readonly isClient: boolean
}

/** Shows what was created, to copy it. */
function Secrets({ created: { id, token, clientSecret }, isClient }: SecretsProps) {
  const values: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Client id', isClient ? id : undefined],
    ['Client secret', clientSecret],
    ['Token', token],
  ]
  return (
    <>
      {(clientSecret ?? token) !== undefined && (
        <p className="warning">
          Copy the secret now. The service keeps only a hash of it and cannot show it again.
        </p>
      )}
      {values.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name} className="grid grid-cols-[1fr_auto] items-center gap-y-1 gap-x-2">
              <span className="label col-span-full">{name}</span>
              <code className="mono py-1.5 px-2 rounded-md bg-raised wrap-anywhere select-all">
                {value}
              </code>
              <CopyButton text={value} label={`Copy ${name.toLowerCase()}`} />
            </div>
          ),
      )}
    </>
  )
}
