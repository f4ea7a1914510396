/**
 * Shows what a file holds, and lets the user choose where it goes: a new type, or one that exists.
 */
import { useMemo, useState } from 'react'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { nameOf } from '../api/ontology.ts'
import { serviceUrl } from '../api/service-url.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Segments } from '../ui/segments.tsx'
import { checkSample, type SampleCheck } from './check-sample.ts'
import type { ColumnMapping } from './column-mapping.ts'
import { ComparisonSummary } from './comparison-summary.tsx'
import { type ColumnReadings, existingTarget } from './existing-target.ts'
import { Findings } from './findings-list.tsx'
import styles from './load.module.css'
import { MappingTable } from './mapping-table.tsx'
import type { FileReport, LoadSpec } from './messages.ts'
import { NewTypeFields } from './new-type-fields.tsx'
import { NewTypeTable } from './new-type-table.tsx'
import { OntologyField } from './ontology-field.tsx'
import { parsedType } from './parsed-type.ts'
import type { ScreenParams } from './screen-params.ts'
import { SelectField } from './select-field.tsx'
import {
  columnOptionsOf,
  definitionOf,
  draftOf,
  mistakeInName,
  mistakeInProperties,
  type TypeDraft,
} from './type-draft.ts'
import { useComparison } from './use-comparison.ts'
import { useOntologyChoice } from './use-ontology-choice.ts'

export interface PreviewProps {
  readonly file: File
  readonly report: FileReport
  readonly screen: ScreenParams
  readonly isBusy: boolean
  readonly onBack: () => void
  readonly onCancel: () => void
  readonly onLoad: (spec: LoadSpec) => void
}

type Goal = 'new' | 'existing'

const UNCHECKED: SampleCheck = { misfits: [], repeats: [] }

export function Preview(props: PreviewProps) {
  const { file, report, screen, isBusy, onBack, onCancel, onLoad } = props
  const { readToken } = useSession()
  const choice = useOntologyChoice(screen.ontology)
  const types = choice.definition?.objectTypes ?? []
  const inferredName = report.inferred.definition.apiName
  const [chosenGoal, setGoal] = useState<Goal>()
  const [chosenType, setType] = useState<string>()
  const [draft, setDraft] = useState<TypeDraft>(() => draftOf(report.inferred))
  const [mapping, setMapping] = useState<ColumnMapping>()
  const [readings, setReadings] = useState<ColumnReadings>(new Map())
  const [mode, setMode] = useState<LoadSpec['mode']>('upsert')

  // A type of the same name, or the one on the screen, is what the file belongs to.
  const likely = types.find(({ apiName }) => apiName === (screen.type ?? inferredName))
  const goal =
    types.length === 0 ? 'new' : (chosenGoal ?? (likely === undefined ? 'new' : 'existing'))
  const existing = (types.find(({ apiName }) => apiName === chosenType) ?? likely ?? types[0]) as
    | ObjectTypeDefinition
    | undefined
  const isTaken = types.some(({ apiName }) => apiName === draft.apiName)

  const target = useMemo(
    () =>
      goal === 'existing' && existing !== undefined
        ? { objectType: existing, ...existingTarget(existing, report, mapping, readings) }
        : { ...newTarget(draft), mapping: undefined },
    [goal, draft, existing, mapping, readings, report],
  )
  const { objectType, columns, isNumbered } = target

  // Fields say what is wrong with names that were written.
  const isNamed =
    goal === 'existing' ||
    (choice.mistake === undefined && mistakeInName(draft.apiName) === undefined && !isTaken)
  const isUnnamed = goal === 'new' && choice.isNew && choice.name === ''
  const mistakes = isUnnamed
    ? ['Give the new ontology a name.', ...target.mistakes]
    : target.mistakes
  const { misfits, repeats } = useMemo(
    () =>
      mistakes.length > 0
        ? UNCHECKED
        : checkSample(parsedType(objectType), columns, report.sample, report.kind),
    [mistakes.length, objectType, columns, report],
  )
  const spec = useMemo((): LoadSpec => {
    const isNew = goal === 'new'
    return {
      file,
      baseUrl: serviceUrl(),
      ontology: choice.name,
      objectType,
      columns,
      // Numbers that somebody else takes in the meantime are not overwritten.
      mode: isNew ? 'upsert' : isNumbered ? 'append' : mode,
      created: isNew ? (choice.isNew ? 'ontology' : 'type') : undefined,
      isNumbered,
    }
  }, [file, goal, choice.name, choice.isNew, objectType, columns, isNumbered, mode])
  const canLoad = mistakes.length === 0 && isNamed && choice.isKnown
  const canCompare = canLoad && goal === 'existing'
  const { comparing, skip } = useComparison(canCompare ? spec : undefined, readToken)
  const isComparing = canCompare && comparing.kind === 'running'
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
                  setReadings(new Map())
                }}
              />
              {!isNumbered && (
                <SelectField
                  label="Objects that exist already"
                  value={mode}
                  options={[
                    ['upsert', 'are replaced by the row'],
                    ['append', 'stay as they are'],
                  ]}
                  onChange={(value) => setMode(value as LoadSpec['mode'])}
                />
              )}
            </>
          )}
        </div>
        {target.mapping === undefined ? (
          <NewTypeTable draft={draft} report={report} misfits={misfits} onChange={setDraft} />
        ) : (
          <MappingTable
            objectType={parsedType(objectType)}
            mapping={target.mapping}
            isNumbered={isNumbered}
            readings={readings}
            report={report}
            misfits={misfits}
            onChange={setMapping}
            onReadings={setReadings}
          />
        )}
        <Findings
          report={report}
          misfits={misfits}
          repeats={repeats}
          mistakes={mistakes}
          draft={goal === 'new' ? draft : undefined}
        />
        {canCompare && (
          <ComparisonSummary
            comparing={comparing}
            spec={spec}
            onSkip={skip}
            onKeep={() => setMode('append')}
          />
        )}
      </div>
      <footer className={styles.foot}>
        <Button disabled={isBusy} onClick={onCancel}>
          Cancel
        </Button>
        <Button disabled={isBusy} onClick={onBack}>
          Choose another file
        </Button>
        <Button
          kind="primary"
          disabled={isBusy || isComparing || !canLoad}
          onClick={() => onLoad(spec)}
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

/** How the file becomes objects of a new type. */
function newTarget(draft: TypeDraft) {
  const mistake = mistakeInProperties(draft)
  return {
    objectType: definitionOf(draft),
    columns: columnOptionsOf(draft),
    mistakes: mistake === undefined ? [] : [mistake],
    isNumbered: false,
  }
}
