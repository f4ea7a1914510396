/**
 * Shows what a file holds, and lets the user choose where it goes: a new type, or one that exists.
 */
import { countOf } from '../../contract/count-of.ts'
import { freeName } from '../../transfer/columns/column-names.ts'
import { nameOf } from '../api/ontology.ts'
import { Button } from '../ui/controls.tsx'
import { DialogParts } from '../ui/dialog.tsx'
import { Segments, SelectField } from '../ui/fields.tsx'
import { ComparisonSummary, Findings } from './findings-list.tsx'
import type { FileReport, LoadSpec, ScreenParams } from './messages.ts'
import { PreviewTable } from './preview-table.tsx'
import { KeyFields, NameFields } from './type-fields.tsx'
import { type LoadPlan, useComparison, useLoadPlan } from './use-load-plan.ts'

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
  const plan = useLoadPlan(file, report, screen)
  const { spec, canLoad } = plan
  const canCompare = canLoad && plan.goal === 'existing'
  const { comparing, skip } = useComparison(canCompare ? spec : undefined)
  const isComparing = canCompare && comparing.kind === 'comparing'
  const rows = report.isWhole ? countOf(report.rows, 'row') : 'all rows'
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
        {isBusy ? 'Creating the type…' : `Load ${rows}`}
      </Button>
    </>
  )
  return (
    <DialogParts foot={foot}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,180px),1fr))] items-start gap-4">
        <TargetFields plan={plan} />
      </div>
      <PreviewTable plan={plan} />
      <ColumnNote plan={plan} />
      <Findings plan={plan} />
      {canCompare && <ComparisonSummary plan={plan} comparing={comparing} onSkip={skip} />}
    </DialogParts>
  )
}

const GOALS = { new: 'New type', existing: 'Existing type' } as const
const MODES = [
  ['upsert', 'are replaced by the row'],
  ['merge', 'keep what the file has no column for'],
  ['append', 'stay as they are'],
] as const

/** The fields that say where the file goes. */
function TargetFields({ plan }: { readonly plan: LoadPlan }) {
  const { types, goal, draft, setDraft } = plan
  const free = freeName(draft.apiName, (name) => types.some(({ apiName }) => apiName === name))
  const error = plan.isTaken ? `This type exists; ${free} is free.` : plan.nameMistake
  return (
    <>
      {types.length > 0 && (
        <div className="grid content-start gap-1 min-w-0 *:[fieldset]:justify-self-start">
          <span className="label">Load into</span>
          <Segments label="Load into" options={GOALS} value={goal} onChange={plan.setGoal} />
        </div>
      )}
      {goal === 'new' ? (
        <>
          <NameFields choice={plan.choice} draft={draft} error={error} onChange={setDraft} />
          <KeyFields draft={draft} onChange={setDraft} />
        </>
      ) : (
        <>
          <NameFields choice={plan.choice} />
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
              options={MODES}
              onChange={(mode) => plan.setMode(mode as LoadSpec['mode'])}
            />
          )}
        </>
      )}
    </>
  )
}

/** What no column goes into, for a type that exists. */
function ColumnNote({ plan: { mapping, spec } }: { readonly plan: LoadPlan }) {
  if (mapping === undefined) return null
  const { properties, primaryKey } = spec.objectType
  const filled = new Set([...mapping.values()].map((target) => target.split('/')[0]))
  const missing = Object.keys(properties).filter((name) => name !== primaryKey && !filled.has(name))
  const notes = [
    spec.isNumbered &&
      `No column goes into “${primaryKey}”, the key: rows are added with the numbers after the last object.`,
    missing.length > 0 &&
      (spec.mode === 'merge'
        ? `Unchanged in objects that exist: ${missing.join(', ')}.`
        : `Without a value: ${missing.join(', ')}.`),
  ].filter(Boolean)
  return notes.length > 0 && <p className="label">{notes.join(' ')}</p>
}
