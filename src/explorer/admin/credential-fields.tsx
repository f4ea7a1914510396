/** The form of a new token or client. */
import type { ReactNode } from 'react'
import { CheckField, SelectField, TextArea, TextField } from '../ui/fields.tsx'
import { type CredentialDraft, LIFETIMES } from './credential-draft.ts'
import { SCOPE_NAMES, scopeMeaning, scopeName } from './scopes.ts'

export interface CredentialFieldsProps {
  readonly draft: CredentialDraft
  readonly onChange: (draft: CredentialDraft) => void
  readonly isClient: boolean
  /** The API names of all ontologies. */
  readonly ontologies: readonly string[]
}

const NEVER = 'never'

export function CredentialFields(props: CredentialFieldsProps) {
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
