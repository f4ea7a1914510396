/** What a load would do to the objects of a type, before anything is written. */
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Figure, Figures } from './load-outcome.tsx'
import type { Comparison, LoadSpec } from './messages.ts'
import type { Comparing } from './use-load-plan.ts'

export interface ComparisonSummaryProps {
  readonly comparing: Comparing
  readonly spec: LoadSpec
  readonly onSkip: () => void
  /** Keeps the objects that exist instead of replacing them. */
  readonly onKeep: () => void
}

export function ComparisonSummary({ comparing, spec, onSkip, onKeep }: ComparisonSummaryProps) {
  const { apiName } = spec.objectType
  return (
    <section
      aria-label="What the load changes"
      className="grid gap-3 text-base leading-5 [&_ul]:mt-1 [&_ul]:mb-0 [&_ul]:pl-5"
    >
      {comparing.kind === 'running' && (
        <div className="flex flex-wrap items-center gap-y-2 gap-x-3">
          <span role="status">
            Comparing the rows with the objects of {apiName}: {formatCount(comparing.rows)} so far.
            Nothing is written.
          </span>
          <Button onClick={onSkip}>Do not compare</Button>
        </div>
      )}
      {comparing.kind === 'skipped' && (
        <p role="status">
          Not compared: how many objects are new or changed is known only after the load.
        </p>
      )}
      {comparing.kind === 'failed' && (
        <p role="alert" className="mistake">
          The rows could not be compared with the objects of {apiName}: {comparing.reason}
        </p>
      )}
      {comparing.kind === 'done' && (
        <div
          role="status"
          className="grid gap-3 text-base leading-5 [&_ul]:mt-1 [&_ul]:mb-0 [&_ul]:pl-5"
        >
          <Compared comparison={comparing.comparison} spec={spec} onKeep={onKeep} />
        </div>
      )}
    </section>
  )
}

interface ComparedProps {
  readonly comparison: Comparison
  readonly spec: LoadSpec
  readonly onKeep: () => void
}

function Compared({ comparison, spec, onKeep }: ComparedProps) {
  const { created, changed, unchanged, rejected, rows } = comparison
  const isAppend = spec.mode === 'append'
  return (
    <>
      <Figures>
        <Figure
          name={created === 1 ? 'object is new' : 'objects are new'}
          value={formatCount(created)}
        />
        {!isAppend && (
          <Figure
            name={changed === 1 ? 'is replaced' : 'are replaced'}
            value={formatCount(changed)}
          />
        )}
        <Figure name={describeKept(unchanged, isAppend)} value={formatCount(unchanged)} />
        <Figure
          name={rejected === 1 ? 'row is rejected' : 'rows are rejected'}
          value={formatCount(rejected)}
          isBad={rejected > 0}
        />
      </Figures>
      {changed > 0 && (
        <div className="flex flex-wrap items-center gap-y-2 gap-x-3">
          <span>
            {changed === 1
              ? 'One object would lose its'
              : `${formatCount(changed)} objects would lose their`}{' '}
            present values.
          </span>
          <Button onClick={onKeep}>
            Keep {changed === 1 ? 'it' : 'them'}, add only new objects
          </Button>
        </div>
      )}
      <p className="label">
        {rows === 1 ? 'The row was' : `All ${formatCount(rows)} rows were`} compared with the
        objects that the service has now.{' '}
        {!comparison.isExact &&
          'Some keys are repeated further apart than is remembered, so that their objects may be counted twice. '}
        {comparison.isUndoable &&
          'The load can be undone until you close this tab or change something else.'}
      </p>
      {!comparison.isUndoable && (
        <p className="warning">
          The load cannot be undone here: it changes more than a browser tab can keep. Export the
          objects first if you may need them again.
        </p>
      )}
    </>
  )
}

function describeKept(count: number, isAppend: boolean): string {
  if (count === 1) return isAppend ? 'exists and stays as it is' : 'stays the same'
  return isAppend ? 'exist and stay as they are' : 'stay the same'
}
