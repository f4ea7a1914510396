/** The findings about a file, in words: mistakes, rows that do not fit, and inferred types. */
import { formatCount } from '../../contract/count-of.ts'
import { Button, Mistake } from '../ui/controls.tsx'
import type { Misfit } from './check-sample.ts'
import { Figures } from './load-outcome.tsx'
import type { Comparison } from './messages.ts'
import type { Comparing, LoadPlan } from './use-load-plan.ts'

const LISTED = 5

export function Findings({ plan }: { readonly plan: LoadPlan }) {
  const { misfits, repeats, mistakes, goal, report } = plan
  const { inferred, sample, isWhole } = report
  const draft = goal === 'new' ? plan.draft : undefined
  const key = draft?.key
  const isKeyUncertain = key !== undefined && !inferred.keyCandidates.includes(key)
  return (
    <div className="grid gap-3 text-base leading-5 [&_ul]:mt-1 [&_ul]:mb-0 [&_ul]:pl-5">
      <div role="status">
        {mistakes.map((mistake) => (
          <p key={mistake} className="mistake">
            {mistake}
          </p>
        ))}
        {misfits.length > 0 && (
          <section className="warning">
            <p>
              {formatCount(misfits.length)} of the first {formatCount(sample.length)} rows{' '}
              {misfits.length === 1 ? 'does' : 'do'} not fit and would be rejected:
            </p>
            <ul>
              {misfits.slice(0, LISTED).map((misfit) => (
                <li key={`${misfit.line} ${misfit.property}`}>{describe(misfit)}</li>
              ))}
            </ul>
          </section>
        )}
        {(isKeyUncertain || repeats.length > 0) && mistakes.length === 0 && (
          <section className="warning">
            <p>
              {isKeyUncertain && `“${key}” does not identify every row for certain. `}
              Of rows with the same key, the last one stays.
            </p>
            <ul>
              {repeats.slice(0, LISTED).map(({ line, earlierLine }) => (
                <li key={line}>
                  Lines {earlierLine} and {line} have the same key.
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      {draft !== undefined && (
        <details open>
          <summary className="text-muted cursor-pointer">What the file shows</summary>
          <ul>
            {!isWhole && (
              <li>
                Only the rows read so far were looked at: later ones may not fit the types, and
                columns that only they have are skipped.
              </li>
            )}
            {inferred.notes.map(({ text }) => (
              <li key={text}>{sentence(text)}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function describe({ line, column, property, excerpt, reason }: Misfit): string {
  const value = excerpt === '' ? '' : ` “${excerpt}”`
  return `Line ${line}: ${column ?? property ?? 'the row'}${value} ${reason}.`
}

/** Notes of the inference begin with a name or a word in lower case. */
function sentence(text: string): string {
  const isName = /^[\w.-]+:/.test(text) && !text.startsWith('primary key')
  const start = isName ? text.charAt(0) : text.charAt(0).toUpperCase()
  return `${start}${text.slice(1)}.`
}

export interface ComparisonSummaryProps {
  readonly plan: LoadPlan
  readonly comparing: Comparing
  readonly onSkip: () => void
}

/** What a load would do to the objects of a type, before anything is written. */
export function ComparisonSummary({ plan, comparing, onSkip }: ComparisonSummaryProps) {
  const { apiName } = plan.spec.objectType
  return (
    <section aria-label="What the load changes" className="grid gap-3 text-base leading-5">
      {comparing.kind === 'comparing' && (
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
        <Mistake>
          The rows could not be compared with the objects of {apiName}: {comparing.reason}
        </Mistake>
      )}
      {comparing.kind === 'compared' && (
        <div role="status" className="grid gap-3 text-base leading-5">
          <Compared plan={plan} comparison={comparing.comparison} />
        </div>
      )}
    </section>
  )
}

function Compared(props: { readonly plan: LoadPlan; readonly comparison: Comparison }) {
  const { created, changed, unchanged, rejected, rows, isExact, isUndoable } = props.comparison
  const { spec, setMode } = props.plan
  const isAppend = spec.mode === 'append'
  const isMerge = spec.mode === 'merge'
  const [one, more] = isAppend
    ? ['exists and stays as it is', 'exist and stay as they are']
    : ['stays the same', 'stay the same']
  return (
    <>
      <Figures
        figures={[
          [created === 1 ? 'object is new' : 'objects are new', created],
          !isAppend && [
            `${changed === 1 ? 'is' : 'are'} ${isMerge ? 'changed' : 'replaced'}`,
            changed,
          ],
          [unchanged === 1 ? one : more, unchanged],
          [rejected === 1 ? 'row is rejected' : 'rows are rejected', rejected, rejected > 0],
        ]}
      />
      {changed > 0 && !isMerge && (
        <div className="flex flex-wrap items-center gap-y-2 gap-x-3">
          <span>
            {changed === 1
              ? 'One object would lose its'
              : `${formatCount(changed)} objects would lose their`}{' '}
            present values.
          </span>
          <Button onClick={() => setMode('merge')}>Change only the columns of the file</Button>
          <Button onClick={() => setMode('append')}>
            Keep {changed === 1 ? 'it' : 'them'}, add only new objects
          </Button>
        </div>
      )}
      <p className="label">
        {rows === 1 ? 'The row was' : `All ${formatCount(rows)} rows were`} compared with the
        objects that the service has now.{' '}
        {!isExact &&
          'Some keys are repeated further apart than is remembered, so that their objects may be counted twice. '}
        {isUndoable && 'The load can be undone until you close this tab or change something else.'}
      </p>
      {!isUndoable && (
        <p className="warning">
          The load cannot be undone here: it changes more than a browser tab can keep. Export the
          objects first if you may need them again.
        </p>
      )}
    </>
  )
}
