/**
 * Shows what a file holds, and lets the user choose where it goes: a new type, or one that exists.
 */
import { countOf } from '../../contract/count-of.ts'
import { nameOf } from '../api/ontology.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { DialogParts } from '../ui/dialog.tsx'
import { SelectField } from '../ui/fields.tsx'
import { Segments } from '../ui/segments.tsx'
import { ComparisonSummary } from './comparison-summary.tsx'
import { Findings } from './findings-list.tsx'
import { MappingTable } from './mapping-table.tsx'
import type { FileReport, LoadSpec } from './messages.ts'
import { NewTypeFields } from './new-type-fields.tsx'
import { NewTypeTable } from './new-type-table.tsx'
import { OntologyField } from './ontology-field.tsx'
import { parsedType } from './parsed-type.ts'
import type { ScreenParams } from './screen-params.ts'
import { useComparison } from './use-comparison.ts'
import { GOALS, type LoadPlan, useLoadPlan } from './use-load-plan.ts'

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
