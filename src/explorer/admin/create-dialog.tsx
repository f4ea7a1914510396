/** Creates a token or a client, and shows its secret once. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { ontologiesQuery } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { Button, CopyButton, Mistake } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField, SelectField, submits, TextArea, TextField } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'
import { type CredentialKind, createRequest } from './admin-queries.ts'
import {
  bodyOf,
  type CredentialDraft,
  EMPTY_DRAFT,
  LIFETIMES,
  mistakeOf,
  SCOPE_NAMES,
  scopeMeaning,
  scopeName,
} from './credential-draft.ts'

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
  const create = () => {
    setTried(true)
    if (mistake !== undefined) return
    void run(async () => {
      const request = createRequest(kind, bodyOf(draft, isClient))
      setCreated(await service.connection.send<Created>(request))
      void client.invalidateQueries({ queryKey: ['admin', kind] })
    })
  }
  const frame = { label: isClient ? 'New OAuth client' : 'New API token', width: 520, onClose }
  if (created !== undefined) {
    const done = (
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    )
    // Escape must not throw away a secret that nobody has copied yet.
    const held = { title: `${created.name} is ready`, onEscape: () => {}, foot: done }
    return (
      <Dialog key="created" {...frame} {...held}>
        <Secrets created={created} isClient={isClient} />
      </Dialog>
    )
  }
  const children = isBusy ? 'Creating…' : 'Create'
  return (
    <Dialog
      {...frame}
      error={error}
      isTyped={draft !== EMPTY_DRAFT}
      action={{ type: 'submit', form, disabled: isBusy, children }}
    >
      <form id={form} className="grid gap-4" onSubmit={submits(create)} noValidate>
        <CredentialFields
          draft={draft}
          onChange={setDraft}
          isClient={isClient}
          ontologies={ontologies.map(({ apiName }) => apiName)}
        />
        <Mistake>{hasTried && mistake}</Mistake>
      </form>
    </Dialog>
  )
}

/** Shows what was created, to copy it. */
function Secrets(props: { readonly created: Created; readonly isClient: boolean }) {
  const { id, token, clientSecret } = props.created
  const values: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Client id', props.isClient ? id : undefined],
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

interface CredentialFieldsProps {
  readonly draft: CredentialDraft
  readonly onChange: (draft: CredentialDraft) => void
  readonly isClient: boolean
  /** The API names of all ontologies. */
  readonly ontologies: readonly string[]
}

const NEVER = 'never'

function CredentialFields(props: CredentialFieldsProps) {
  const { draft, onChange, isClient, ontologies } = props
  const change = (part: Partial<CredentialDraft>) => onChange({ ...draft, ...part })
  return (
    <>
      <TextField
        label="Name"
        placeholder={isClient ? 'nightly report' : 'report of the sales team'}
        autoFocus
        value={draft.name}
        onChange={(name) => change({ name })}
      />
      <Choices legend="Scopes">
        {SCOPE_NAMES.map((scope) => (
          <CheckField
            key={scope}
            label={scopeName(scope)}
            hint={scopeMeaning(scope)}
            isOn={draft.scopes.includes(scope)}
            onChange={(isOn) => change({ scopes: toggle(draft.scopes, scope, isOn) })}
          />
        ))}
      </Choices>
      <Choices legend="Ontologies">
        <CheckField
          label="all"
          hint="also those that are added later"
          isOn={draft.ontologies === undefined}
          onChange={(isOn) => change({ ontologies: isOn ? undefined : [] })}
        />
        {draft.ontologies !== undefined &&
          ontologies.map((name) => (
            <CheckField
              key={name}
              label={name}
              isOn={draft.ontologies?.includes(name) ?? false}
              onChange={(isOn) =>
                change({ ontologies: toggle(draft.ontologies ?? [], name, isOn) })
              }
            />
          ))}
      </Choices>
      <SelectField
        label="Expires after"
        value={String(draft.days ?? NEVER)}
        options={LIFETIMES.map(([days, name]) => [String(days ?? NEVER), name])}
        onChange={(days) => change({ days: days === NEVER ? undefined : Number(days) })}
      />
      {isClient && (
        <>
          <Choices legend="Kind of program">
            <CheckField
              label="public"
              hint="a web page or an app, which cannot keep a secret"
              isOn={draft.isPublic}
              onChange={(isPublic) => change({ isPublic })}
            />
          </Choices>
          <TextArea
            label="Addresses that people return to after they signed in, one a line"
            rows={2}
            placeholder="https://app.example.com/callback"
            value={draft.redirectUris}
            onChange={(redirectUris) => change({ redirectUris })}
          />
        </>
      )}
    </>
  )
}

function Choices({ legend, children }: { readonly legend: string; readonly children: ReactNode }) {
  return (
    <fieldset className="grid gap-1.5 m-0 p-0 border-0">
      <legend className="label pt-0 px-0 pb-1">{legend}</legend>
      {children}
    </fieldset>
  )
}

function toggle<Item>(items: readonly Item[], item: Item, isOn: boolean): readonly Item[] {
  const others = items.filter((other) => other !== item)
  return isOn ? [...others, item] : others
}
