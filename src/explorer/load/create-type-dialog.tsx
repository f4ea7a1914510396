/** Creates an object type without a file: a name, properties, the key. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { freeName } from '../../transfer/columns/column-names.ts'
import { screenPath } from '../api/base-path.ts'
import { useSession } from '../session/session.tsx'
import { useRefresh } from '../session/use-writes.ts'
import { Button, Icon } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { SelectField, TextField } from '../ui/fields.tsx'
import { useTask } from '../ui/use-task.ts'
import { applyType } from './apply-type.ts'
import styles from './load.module.css'
import type { ScreenParams } from './messages.ts'
import { OntologyField } from './preview.tsx'
import {
  canBeKey,
  canBeTitle,
  definitionOf,
  emptyDraft,
  mistakeInName,
  mistakeInProperties,
  newProperty,
  type TypeDraft,
  typeChoices,
  typeText,
  withProperty,
  withType,
} from './type-draft.ts'
import { useOntologyChoice } from './use-load-plan.ts'

export interface CreateTypeDialogProps {
  readonly screen: ScreenParams
  readonly onClose: () => void
}

export function CreateTypeDialog({ screen, onClose }: CreateTypeDialogProps) {
  const { readToken } = useSession()
  const client = useQueryClient()
  const refresh = useRefresh()
  const navigate = useNavigate()
  const choice = useOntologyChoice(screen.ontology)
  const [draft, setDraft] = useState(emptyDraft)
  const { run, isBusy, error } = useTask()

  const isTaken =
    choice.definition?.objectTypes.some(({ apiName }) => apiName === draft.apiName) ?? false
  const nameMistake = isTaken
    ? 'There is a type of this name already.'
    : mistakeInName(draft.apiName)
  const propertyMistake =
    draft.key === undefined
      ? 'Choose the property that identifies an object.'
      : mistakeInProperties(draft)
  const isReady =
    nameMistake === undefined &&
    propertyMistake === undefined &&
    choice.mistake === undefined &&
    choice.isKnown
  const create = () =>
    run(async () => {
      await applyType(await readToken(), choice.name, definitionOf(draft))
      await Promise.all(
        [['ontologies'], ['definition', choice.name]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      )
      void refresh()
      onClose()
      void navigate({ to: screenPath(choice.name, draft.apiName) })
    })
  return (
    <Dialog
      label="New object type"
      width={640}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={!isReady || isBusy} onClick={() => void create()}>
            {isBusy ? 'Creating…' : 'Create'}
          </Button>
        </>
      }
    >
      {error !== undefined && <ErrorNote error={error} />}
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,180px),1fr))] items-start gap-4">
        <OntologyField choice={choice} />
        <TextField
          label="Name of the type"
          value={draft.apiName}
          autoComplete="off"
          spellCheck={false}
          error={draft.apiName === '' ? undefined : nameMistake}
          onChange={(apiName) => setDraft({ ...draft, apiName })}
        />
      </div>
      <Properties draft={draft} onChange={setDraft} />
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,180px),1fr))] items-start gap-4">
        <SelectField
          label="Key, which identifies an object"
          value={draft.key ?? ''}
          options={[
            ...(draft.key === undefined ? [['', 'choose one'] as const] : []),
            ...draft.properties.filter(canBeKey).map(({ name }) => [name, name] as const),
          ]}
          onChange={(key) => setDraft({ ...draft, key: key || undefined })}
        />
        <SelectField
          label="Title"
          value={draft.title ?? ''}
          options={[
            ['', 'the key'],
            ...draft.properties.filter(canBeTitle).map(({ name }) => [name, name] as const),
          ]}
          onChange={(title) => setDraft({ ...draft, title: title || undefined })}
        />
      </div>
      <div role="status">
        {propertyMistake !== undefined && <p className="mistake">{propertyMistake}</p>}
      </div>
    </Dialog>
  )
}

interface PropertiesProps {
  readonly draft: TypeDraft
  readonly onChange: (draft: TypeDraft) => void
}

function Properties({ draft, onChange }: PropertiesProps) {
  const { properties } = draft
  const add = () => {
    const name = freeName('property', (taken) => properties.some((each) => each.name === taken))
    onChange({ ...draft, properties: [...properties, newProperty(name)] })
  }
  const remove = (at: number) => {
    const name = properties[at]?.name
    onChange({
      ...draft,
      properties: properties.toSpliced(at, 1),
      key: draft.key === name ? undefined : draft.key,
      title: draft.title === name ? undefined : draft.title,
    })
  }
  return (
    <fieldset className="grid gap-3 m-0 p-0 border-0">
      <legend className="label pt-0 px-0 pb-1">Properties, each with its type</legend>
      {properties.map((property, at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
          key={at}
          className={`grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)_auto] items-end gap-2 ${styles.property}`}
        >
          <TextField
            label={`Name of property ${at + 1}`}
            value={property.name}
            autoComplete="off"
            spellCheck={false}
            onChange={(name) => onChange(withProperty(draft, at, { ...property, name }))}
          />
          <SelectField
            label={`Type of property ${at + 1}`}
            value={typeText(property.definition)}
            options={typeChoices(property).map((choice) => [typeText(choice), typeText(choice)])}
            onChange={(value) => {
              const choice = typeChoices(property).find((each) => typeText(each) === value)
              if (choice) onChange(withProperty(draft, at, withType(property, choice)))
            }}
          />
          <Button
            kind="quiet"
            aria-label={`Remove ${property.name}`}
            disabled={properties.length === 1}
            onClick={() => remove(at)}
          >
            <Icon name="close" size={14} />
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={add}>
          <Icon name="plus" size={14} /> Add a property
        </Button>
      </div>
    </fieldset>
  )
}
