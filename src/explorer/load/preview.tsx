/**
 * Shows what a file holds, and lets the user choose where it goes: a new type, or one that exists.
 */
import { useMemo, useState } from 'react'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { freeName } from '../../transfer/import/column-names.ts'
import type { ColumnOptions } from '../../transfer/import/column-plan.ts'
import { nameOf } from '../api/ontology.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Segments } from '../ui/segments.tsx'
import { TextField } from '../ui/text-field.tsx'
import { checkSample, type SampleCheck } from './check-sample.ts'
import { mistakesInMapping, optionsOfMapping, suggestMapping } from './column-mapping.ts'
import { Findings } from './findings-list.tsx'
import styles from './load.module.css'
import { MappingTable } from './mapping-table.tsx'
import type { FileReport, LoadSpec } from './messages.ts'
import { NewTypeTable } from './new-type-table.tsx'
import { OntologyField } from './ontology-field.tsx'
import { parsedType } from './parsed-type.ts'
import type { ScreenParams } from './screen-params.ts'
import { SelectField } from './select-field.tsx'
import {
  canBeKey,
  canBeTitle,
  columnOptionsOf,
  definitionOf,
  draftOf,
  mistakeInName,
  mistakeInProperties,
  type TypeDraft,
} from './type-draft.ts'
import { useOntologyChoice } from './use-ontology-choice.ts'

/** The type that a file is loaded into, as the user chose it. */
export interface Target {
  readonly ontology: string
  readonly objectType: ObjectTypeDefinition
  readonly isNew: boolean
  readonly columns: ColumnOptions
  readonly mode: LoadSpec['mode']
}

export interface PreviewProps {
  readonly file: File
  readonly report: FileReport
  readonly screen: ScreenParams
  readonly isBusy: boolean
  readonly onBack: () => void
  readonly onLoad: (target: Target) => void
}

type Goal = 'new' | 'existing'

const UNCHECKED: SampleCheck = { misfits: [], repeats: [] }

export function Preview({ report, screen, isBusy, onBack, onLoad }: PreviewProps) {
  const choice = useOntologyChoice(screen.ontology)
  const types = choice.definition?.objectTypes ?? []
  const inferredName = report.inferred.definition.apiName
  const [chosenGoal, setGoal] = useState<Goal>()
  const [chosenType, setType] = useState<string>()
  const [draft, setDraft] = useState<TypeDraft>(() => draftOf(report.inferred))
  const [mapping, setMapping] = useState<ReadonlyMap<string, string>>()
  const [mode, setMode] = useState<LoadSpec['mode']>('upsert')

  // A type of the same name, or the one on the screen, is what the file belongs to.
  const likely = types.find(({ apiName }) => apiName === (screen.type ?? inferredName))
  const goal =
    types.length === 0 ? 'new' : (chosenGoal ?? (likely === undefined ? 'new' : 'existing'))
  const existing = types.find(({ apiName }) => apiName === chosenType) ?? likely ?? types[0]
  const isTaken = types.some(({ apiName }) => apiName === draft.apiName)

  const target = useMemo(() => {
    if (goal === 'new') {
      return {
        objectType: definitionOf(draft),
        columns: columnOptionsOf(draft),
        mapping: undefined,
      }
    }
    const objectType = existing as ObjectTypeDefinition
    const type = parsedType(objectType)
    const used = mapping ?? suggestMapping(type, report.columns)
    return { objectType, columns: optionsOfMapping(type, report.columns, used), mapping: used }
  }, [goal, draft, existing, mapping, report.columns])

  // Fields say what is wrong with names that were written.
  const isNamed =
    goal === 'existing' ||
    (choice.mistake === undefined && mistakeInName(draft.apiName) === undefined && !isTaken)
  const mistakes =
    target.mapping === undefined
      ? compact([
          choice.isNew && choice.name === '' ? 'Give the new ontology a name.' : undefined,
          mistakeInProperties(draft),
        ])
      : mistakesInMapping(parsedType(target.objectType), target.mapping)
  const { misfits, repeats } = useMemo(
    () =>
      mistakes.length > 0
        ? UNCHECKED
        : checkSample(parsedType(target.objectType), target.columns, report.sample, report.kind),
    [mistakes.length, target, report],
  )
  return (
    <>
      <div className={styles.body}>
        <div className={styles.form}>
          {types.length > 0 && (
            <div className={styles.field}>
              <span className="label">Load into</span>
              <Segments
                label="Load into"
                options={['new', 'existing'] as const}
                nameOf={(name) => (name === 'new' ? 'New type' : 'Existing type')}
                value={goal}
                onChange={setGoal}
              />
            </div>
          )}
          <OntologyField choice={choice} />
          {goal === 'new' ? (
            <NewTypeFields draft={draft} isTaken={isTaken} onChange={setDraft} types={types} />
          ) : (
            <>
              <SelectField
                label="Type"
                value={existing?.apiName ?? ''}
                options={types.map((type) => [type.apiName, nameOf(type)] as const)}
                onChange={(name) => {
                  setType(name)
                  setMapping(undefined)
                }}
              />
              <SelectField
                label="Objects that exist already"
                value={mode}
                options={[
                  ['upsert', 'are replaced by the row'],
                  ['append', 'stay as they are'],
                ]}
                onChange={(value) => setMode(value as LoadSpec['mode'])}
              />
            </>
          )}
        </div>
        {target.mapping === undefined ? (
          <NewTypeTable draft={draft} report={report} misfits={misfits} onChange={setDraft} />
        ) : (
          <MappingTable
            objectType={parsedType(target.objectType)}
            mapping={target.mapping}
            report={report}
            misfits={misfits}
            onChange={setMapping}
          />
        )}
        <Findings
          report={report}
          misfits={misfits}
          repeats={repeats}
          mistakes={mistakes}
          draft={goal === 'new' ? draft : undefined}
        />
      </div>
      <footer className={styles.foot}>
        <Button disabled={isBusy} onClick={onBack}>
          Choose another file
        </Button>
        <Button
          kind="primary"
          disabled={isBusy || mistakes.length > 0 || !isNamed || !choice.isKnown}
          onClick={() =>
            onLoad({
              ontology: choice.name,
              objectType: target.objectType,
              isNew: goal === 'new',
              columns: target.columns,
              mode: goal === 'new' ? 'upsert' : mode,
            })
          }
        >
          {isBusy
            ? 'Creating the type…'
            : report.isWhole
              ? `Load ${formatCount(report.rows)} ${report.rows === 1 ? 'row' : 'rows'}`
              : 'Load all rows'}
        </Button>
      </footer>
    </>
  )
}

interface NewTypeFieldsProps {
  readonly draft: TypeDraft
  readonly isTaken: boolean
  readonly types: readonly { readonly apiName: string }[]
  readonly onChange: (draft: TypeDraft) => void
}

function NewTypeFields({ draft, isTaken, types, onChange }: NewTypeFieldsProps) {
  const { properties, apiName } = draft
  const free = freeName(apiName, (name) => types.some((type) => type.apiName === name))
  const named = (able: typeof canBeKey) =>
    properties.filter(able).map(({ name }) => [name, name] as const)
  return (
    <>
      <TextField
        label="Name of the type"
        value={apiName}
        autoComplete="off"
        spellCheck={false}
        error={isTaken ? `This type exists; ${free} is free.` : mistakeInName(apiName)}
        onChange={(name) => onChange({ ...draft, apiName: name })}
      />
      <SelectField
        label="Key, which identifies an object"
        value={draft.key ?? ''}
        options={[...named(canBeKey), ['', 'the number of the row']]}
        onChange={(key) => onChange({ ...draft, key: key || undefined })}
      />
      <SelectField
        label="Title"
        value={draft.title ?? ''}
        options={[['', 'the key'], ...named(canBeTitle)]}
        onChange={(title) => onChange({ ...draft, title: title || undefined })}
      />
    </>
  )
}

function compact(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text) => text !== undefined)
}
