/** The outcome of a load, with the rows that were not stored. */

import { Link } from '@tanstack/react-router'
import { countOf } from '../../contract/count-of.ts'
import type { Rejection } from '../../transfer/import/batch-sender.ts'
import { screenPath } from '../api/screen-path.ts'
import { useUndo } from '../session/use-undo.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { DialogParts } from '../ui/dialog.tsx'
import { formatCount } from '../ui/format.ts'
import styles from './load.module.css'
import { Figure, Figures } from './load-progress.tsx'
import { rejectionText } from './rejection-text.ts'
import type { Ended } from './use-file-load.ts'

export interface LoadOutcomeProps {
  readonly stage: Ended
  /** Whether the last change of the tab is this load, and can be taken back. */
  readonly isUndoable: boolean
  readonly onAgain: () => void
  readonly onClose: () => void
}

export function LoadOutcome({ stage, isUndoable, onAgain, onClose }: LoadOutcomeProps) {
  const { spec, counts, rejections, durationMs, isComplete, remains } = stage
  const { change, failure, isUndoing, undo } = useUndo()
  const isUndone = isUndoable && change?.undo === undefined
  const foot = (
    <>
      {isUndoable && !isUndone && (
        <Button disabled={isUndoing} onClick={() => void undo()}>
          {isUndoing ? 'Undoing…' : 'Undo'}
        </Button>
      )}
      <Button onClick={onClose}>Close</Button>
      <Button onClick={onAgain}>Load another file</Button>
      {remains?.isTypeRemoved !== true && !(isUndone && spec.created !== undefined) && (
        <Link
          to={screenPath(spec.ontology, spec.objectType.apiName)}
          className="inline-flex items-center min-h-8 py-0 px-3 rounded-md bg-accent text-panel text-base"
          onClick={onClose}
        >
          Open the table
        </Link>
      )}
    </>
  )
  return (
    <DialogParts foot={foot}>
      <p role="status" className={isComplete || isUndone ? 'text-lg leading-5.5' : 'mistake'}>
        {isUndone ? change?.text : isComplete ? describeDone(stage) : describeStop(stage)}
      </p>
      {failure !== undefined && (
        <p role="alert" className="mistake">
          {failure}
        </p>
      )}
      <Figures>
        <Figure name="rows read" value={formatCount(counts.rows)} />
        <Figure name="objects written" value={formatCount(counts.put)} />
        {counts.kept > 0 && <Figure name="objects kept" value={formatCount(counts.kept)} />}
        <Figure
          name="rows rejected"
          value={formatCount(counts.rejected)}
          isBad={counts.rejected > 0}
        />
        <Figure name="seconds" value={(durationMs / 1000).toFixed(1)} />
      </Figures>
      {!isUndoable && counts.put > 0 && (
        <p className="label">
          This load cannot be undone here: it changed more than a browser tab can keep.
        </p>
      )}
      {counts.rejected > 0 && <Rejections rejections={rejections} count={counts.rejected} />}
    </DialogParts>
  )
}

function describeDone({ counts, spec, remains }: Ended): string {
  const { sent, put, kept, rejected } = counts
  if (remains?.isTypeRemoved) {
    return `None of the rows could be stored, so ${spec.objectType.apiName} was not created.`
  }
  return [
    `${countOf(put, 'object')} written to ${spec.objectType.apiName}`,
    ...(kept === 0 ? [] : [`${countOf(kept, 'object')} kept`]),
    ...(rejected === 0 ? [] : [`${countOf(rejected, 'row')} could not be stored`]),
    ...(sent > put + kept ? ['of rows with the same key, the last one stayed'] : []),
  ]
    .join('; ')
    .concat('.')
}

function describeStop({ reason, isUncertain, spec, remains }: Ended): string {
  const again = spec.isNumbered
    ? `Undo it before you load the file again: its rows have no key, so ${spec.objectType.apiName} would have them twice.`
    : 'Load the same file again to complete it: objects with the same key are not doubled.'
  return [
    reason === undefined ? 'Stopped.' : `The load ended early: ${reason.replace(/\.$/, '')}.`,
    isUncertain
      ? 'It is not known whether the rows sent until then are stored.'
      : remains?.isTypeRemoved
        ? `No row was stored, so ${spec.objectType.apiName} was not created.`
        : 'The rows sent until then are stored.',
    ...(remains?.isTypeRemoved ? [] : [again]),
  ].join(' ')
}

interface RejectionsProps {
  readonly rejections: readonly Rejection[]
  readonly count: number
}

function Rejections({ rejections, count }: RejectionsProps) {
  return (
    <section aria-labelledby="rejections">
      <div className="flex flex-wrap items-center gap-y-2 gap-x-3">
        <h3 id="rejections" className="text-lg leading-5.5">
          Rejected rows
        </h3>
        <span className="flex-1" />
        <CopyButton text={rejectionText(rejections)} label="Copy the list" />
      </div>
      {count > rejections.length && (
        <p className="label">The first {formatCount(rejections.length)} are listed.</p>
      )}
      <div
        className="max-h-85 overflow-auto border border-line rounded-md mt-2"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what overflows
        tabIndex={0}
      >
        <table
          className={`w-full border-separate [border-spacing:0] text-base leading-5 ${styles.table}`}
        >
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Column</th>
              <th scope="col">Value</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {rejections.map(({ line, property, excerpt, reason }) => (
              <tr key={`${line} ${property} ${reason}`}>
                <td className="data">{line}</td>
                <td>{property}</td>
                <td className="mono">{excerpt}</td>
                <td>{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
