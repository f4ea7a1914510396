/** Creates an object type without a file: a name, properties, the key. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { freeName } from '../../transfer/columns/column-names.ts'
import { screenPath } from '../api/base-path.ts'
import { useRefresh, useRefreshTypes } from '../session/use-writes.ts'
import { Button, Icon, IconButton } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'
import { applyType } from './apply-type.ts'
import type { ScreenParams } from './messages.ts'
import {
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
import { KeyFields, NameFields } from './type-fields.tsx'
import { useOntologyChoice } from './use-load-plan.ts'

export interface CreateTypeDialogProps {
  readonly screen: ScreenParams
  readonly onClose: () => void
}

const FIELDS = 'grid grid-cols-[repeat(auto-fill,minmax(min(100%,180px),1fr))] items-start gap-4'

export function CreateTypeDialog({ screen, onClose }: CreateTypeDialogProps) {
  const refresh = useRefresh()
  const refreshTypes = useRefreshTypes()
  const navigate = useNavigate()
  const choice = useOntologyChoice(screen.ontology)
  const [draft, setDraft] = useState(emptyDraft)
  const { run, isBusy, error } = useTask()

  const isTaken = choice.definition?.objectTypes.some(({ apiName }) => apiName === draft.apiName)
  const nameMistake = isTaken
    ? 'There is a type of this name already.'
    : mistakeInName(draft.apiName)
  const propertyMistake =
    draft.key === undefined
      ? 'Choose the property that identifies an object.'
      : mistakeInProperties(draft)
  const isReady = !nameMistake && !propertyMistake && !choice.mistake && choice.isKnown
  const create = () =>
    run(async () => {
      await applyType(choice.name, definitionOf(draft))
      await refreshTypes(choice.name)
      void refresh()
      onClose()
      void navigate({ to: screenPath(choice.name, draft.apiName) })
    })
  return (
    <Dialog
      label="New object type"
      width={640}
      isTyped={draft.apiName !== '' || draft.key !== undefined}
      onClose={onClose}
      error={error}
      action={{
        disabled: !isReady || isBusy,
        onClick: () => void create(),
        children: isBusy ? 'Creating…' : 'Create',
      }}
    >
      <div className={FIELDS}>
        <NameFields
          choice={choice}
          draft={draft}
          error={draft.apiName === '' ? undefined : nameMistake}
          onChange={setDraft}
        />
      </div>
      <Properties draft={draft} onChange={setDraft} />
      <div className={FIELDS}>
        <KeyFields draft={draft} isRequired onChange={setDraft} />
      </div>
      <div role="status">{propertyMistake && <p className="mistake">{propertyMistake}</p>}</div>
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
          // The legend says it for all rows.
          className="grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)_auto] items-end gap-2 [&_label]:sr-only"
        >
          <TextField
            label={`Name of property ${at + 1}`}
            value={property.name}
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
          <IconButton
            icon="close"
            label={`Remove ${property.name}`}
            disabled={properties.length === 1}
            onClick={() => remove(at)}
          />
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
