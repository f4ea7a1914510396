/** The findings about a file, in words: mistakes, rows that do not fit, and inferred types. */
import { formatCount } from '../../contract/count-of.ts'
import type { Misfit } from './check-sample.ts'
import type { LoadPlan } from './use-load-plan.ts'

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
