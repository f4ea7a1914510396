/** The form of a new token or client. */
import { type ReactNode, useId } from 'react'
import { TextField } from '../ui/text-field.tsx'
import styles from './admin.module.css'
import { type CredentialDraft, LIFETIMES } from './credential-draft.ts'
import { SCOPE_NAMES, scopeMeaning, scopeName } from './scopes.ts'

export interface CredentialFieldsProps {
  readonly draft: CredentialDraft
  readonly onChange: (draft: CredentialDraft) => void
  readonly isClient: boolean
  /** The API names of all ontologies. */
  readonly ontologies: readonly string[]
}

export function CredentialFields(props: CredentialFieldsProps) {
  const { draft, onChange, isClient, ontologies } = props
  const change = (part: Partial<CredentialDraft>) => onChange({ ...draft, ...part })
  const expiry = useId()
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
          <Check
            key={scope}
            label={scopeName(scope)}
            hint={scopeMeaning(scope)}
            isOn={draft.scopes.includes(scope)}
            onChange={(isOn) => change({ scopes: toggle(draft.scopes, scope, isOn) })}
          />
        ))}
      </Choices>
      <Choices legend="Ontologies">
        <Check
          label="all"
          hint="also those that are added later"
          isOn={draft.ontologies === undefined}
          onChange={(isOn) => change({ ontologies: isOn ? undefined : [] })}
        />
        {draft.ontologies !== undefined &&
          ontologies.map((name) => (
            <Check
              key={name}
              label={name}
              isOn={draft.ontologies?.includes(name) ?? false}
              onChange={(isOn) =>
                change({ ontologies: toggle(draft.ontologies ?? [], name, isOn) })
              }
            />
          ))}
      </Choices>
      <div className={styles.field}>
        <label className="label" htmlFor={expiry}>
          Expires after
        </label>
        <select
          id={expiry}
          value={draft.days ?? 'never'}
          onChange={({ target }) =>
            change({ days: target.value === 'never' ? undefined : Number(target.value) })
          }
        >
          {LIFETIMES.map(([days, name]) => (
            <option key={name} value={days ?? 'never'}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {isClient && <ClientFields draft={draft} onChange={change} />}
    </>
  )
}

interface ClientFieldsProps {
  readonly draft: CredentialDraft
  readonly onChange: (part: Partial<CredentialDraft>) => void
}

function ClientFields({ draft, onChange }: ClientFieldsProps) {
  const uris = useId()
  return (
    <>
      <Choices legend="Kind of program">
        <Check
          label="public"
          hint="a web page or an app, which cannot keep a secret"
          isOn={draft.isPublic}
          onChange={(isPublic) => onChange({ isPublic })}
        />
      </Choices>
      <div className={styles.field}>
        <label className="label" htmlFor={uris}>
          Addresses that people return to after they signed in, one a line
        </label>
        <textarea
          id={uris}
          rows={2}
          className="mono"
          spellCheck={false}
          placeholder="https://app.example.com/callback"
          value={draft.redirectUris}
          onChange={({ target }) => onChange({ redirectUris: target.value })}
        />
      </div>
    </>
  )
}

function Choices({ legend, children }: { readonly legend: string; readonly children: ReactNode }) {
  return (
    <fieldset className={styles.choices}>
      <legend className="label">{legend}</legend>
      {children}
    </fieldset>
  )
}

interface CheckProps {
  readonly label: string
  readonly hint?: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

function Check({ label, hint, isOn, onChange }: CheckProps) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      <span>{label}</span>
      {hint !== undefined && <span className="label">{hint}</span>}
    </label>
  )
}

function toggle<Item>(items: readonly Item[], item: Item, isOn: boolean): readonly Item[] {
  const others = items.filter((other) => other !== item)
  return isOn ? [...others, item] : others
}
