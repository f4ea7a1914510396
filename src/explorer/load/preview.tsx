/**
 * Shows what a file holds, and lets the user choose where it goes: a new type, or one that exists.
 */
import { countOf } from '../../contract/count-of.ts'
import { freeName } from '../../transfer/columns/column-names.ts'
import { nameOf } from '../api/ontology.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { DialogParts } from '../ui/dialog.tsx'
import { Segments, SelectField, TextField } from '../ui/fields.tsx'
import { parsedType } from './apply-type.ts'
import { ComparisonSummary } from './comparison-summary.tsx'
import { Findings } from './findings-list.tsx'
import type { FileReport, LoadSpec, ScreenParams } from './messages.ts'
import { MappingTable, NewTypeTable } from './preview-table.tsx'
import { canBeKey, canBeTitle, mistakeInName, type TypeDraft } from './type-draft.ts'
import {
  GOALS,
  type LoadPlan,
  type OntologyChoice,
  useComparison,
  useLoadPlan,
} from './use-load-plan.ts'

export interface PreviewProps {
  readonly file: File
  readonly report: FileReport
  readonly screen: ScreenParams
  readonly isBusy: boolean
  readonly onBack: () => void
  readonly onCancel: () => void
  readonly onLoad: (spec: LoadSpec) => void
}

export function Preview(props: PreviewProps) {
  const { file, report, screen, isBusy, onBack, onCancel, onLoad } = props
  const { readToken } = useSession()
  const plan = useLoadPlan(file, report, screen)
  const { goal, spec, canLoad, misfits } = plan
  const canCompare = canLoad && goal === 'existing'
  const { comparing, skip } = useComparison(canCompare ? spec : undefined, readToken)
  const isComparing = canCompare && comparing.kind === 'running'
  const foot = (
    <>
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
            ? `Load ${countOf(report.rows, 'row')}`
            : 'Load all rows'}
      </Button>
    </>
  )
  return (
    <DialogParts foot={foot}>
      <TargetFields plan={plan} />
      {plan.mapping === undefined ? (
        <NewTypeTable
          draft={plan.draft}
          report={report}
          misfits={misfits}
          onChange={plan.setDraft}
        />
      ) : (
        <MappingTable
          objectType={parsedType(spec.objectType)}
          mapping={plan.mapping}
          isNumbered={spec.isNumbered}
          readings={plan.readings}
          report={report}
          misfits={misfits}
          onChange={plan.setMapping}
          onReadings={plan.setReadings}
        />
      )}
      <Findings
        report={report}
        misfits={misfits}
        repeats={plan.repeats}
        mistakes={plan.mistakes}
        draft={goal === 'new' ? plan.draft : undefined}
      />
      {canCompare && (
        <ComparisonSummary
          comparing={comparing}
          spec={spec}
          onSkip={skip}
          onKeep={() => plan.setMode('append')}
        />
      )}
    </DialogParts>
  )
}

/** The fields that say where the file goes. */
function TargetFields({ plan }: { readonly plan: LoadPlan }) {
  const { types, goal, draft } = plan
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,180px),1fr))] items-start gap-4">
      {types.length > 0 && (
        <div className="grid content-start gap-1 min-w-0 *:[fieldset]:justify-self-start">
          <span className="label">Load into</span>
          <Segments
            label="Load into"
            options={GOALS}
            nameOf={(name) => (name === 'new' ? 'New type' : 'Existing type')}
            value={goal}
            onChange={plan.setGoal}
          />
        </div>
      )}
      <OntologyField choice={plan.choice} />
      {goal === 'new' ? (
        <NewTypeFields
          draft={draft}
          isTaken={plan.isTaken}
          types={types}
          onChange={plan.setDraft}
        />
      ) : (
        <>
          <SelectField
            label="Type"
            value={plan.existing?.apiName ?? ''}
            options={types.map((type) => [type.apiName, nameOf(type)])}
            onChange={plan.chooseType}
          />
          {!plan.spec.isNumbered && (
            <SelectField
              label="Objects that exist already"
              value={plan.mode}
              options={[
                ['upsert', 'are replaced by the row'],
                ['append', 'stay as they are'],
              ]}
              onChange={(mode) => plan.setMode(mode as LoadSpec['mode'])}
            />
          )}
        </>
      )}
    </div>
  )
}

interface NewTypeFieldsProps {
  readonly draft: TypeDraft
  readonly isTaken: boolean
  readonly types: readonly { readonly apiName: string }[]
  readonly onChange: (draft: TypeDraft) => void
}

/** The name, the key and the title of a new type. */
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

const NEW = ' new'

/** Chooses an ontology, or names a new one. */
export function OntologyField({ choice }: { readonly choice: OntologyChoice }) {
  const { ontologies, name, isNew, canCreate, mistake } = choice
  const existing = ontologies.map(
    ({ apiName, displayName }) => [apiName, displayName || apiName] as const,
  )
  const options = canCreate ? [...existing, [NEW, 'New ontology…'] as const] : existing
  return (
    <>
      {ontologies.length > 0 && (
        <SelectField
          label="Ontology"
          value={isNew ? NEW : name}
          options={options}
          onChange={(value) => (value === NEW ? choice.create('') : choice.choose(value))}
        />
      )}
      {isNew && (
        <TextField
          label="Name of the new ontology"
          value={name}
          autoComplete="off"
          spellCheck={false}
          error={name === '' ? undefined : mistake}
          onChange={choice.create}
        />
      )}
    </>
  )
}
