/** The progress of a load, and its outcome with the rows that were not stored. */
import { Link } from '@tanstack/react-router'
import { countOf, formatCount } from '../../contract/count-of.ts'
import type { Rejection } from '../../transfer/import/batch.ts'
import { screenPath } from '../api/base-path.ts'
import { useUndo } from '../session/use-writes.ts'
import { Button, CopyButton, Mistake } from '../ui/controls.tsx'
import { DialogParts } from '../ui/dialog.tsx'
import { formatBytes } from '../ui/format.ts'
import { useNow } from '../ui/hooks.ts'
import { DATA, FRAME, HEAD, TABLE } from './preview-table.tsx'
import type { Ended, Loading, Stage } from './use-file-load.ts'

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
      <Mistake>{failure}</Mistake>
      <Figures
        figures={[
          ['rows read', counts.rows],
          ['objects written', counts.put],
          counts.kept > 0 && ['objects kept', counts.kept],
          ['rows rejected', counts.rejected, counts.rejected > 0],
          ['seconds', (durationMs / 1000).toFixed(1)],
        ]}
      />
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

function Rejections(props: { readonly rejections: readonly Rejection[]; readonly count: number }) {
  const { rejections, count } = props
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
        className={`${FRAME} mt-2`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what overflows
        tabIndex={0}
      >
        <table className={TABLE}>
          <thead>
            <tr>
              {['Line', 'Column', 'Value', 'Reason'].map((name) => (
                <th key={name} scope="col" className={HEAD}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rejections.map(({ line, property, excerpt, reason }) => (
              <tr key={`${line} ${property} ${reason}`}>
                <td className={DATA}>{line}</td>
                <td className={DATA}>{property}</td>
                <td className={`mono ${DATA}`}>{excerpt}</td>
                <td className={DATA}>{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Returns rejected rows as lines with tabs, for a spreadsheet or a message. */
export function rejectionText(rejections: readonly Rejection[]): string {
  const rows = rejections.map(({ line, property = '', excerpt, reason, row = '' }) => [
    line,
    property,
    excerpt,
    reason,
    row,
  ])
  return [['line', 'column', 'value', 'reason', 'row'], ...rows]
    .map((cells) => cells.map(oneLine).join('\t'))
    .join('\n')
}

function oneLine(cell: string | number): string {
  return String(cell).replaceAll(/[\t\r\n]+/g, ' ')
}

export interface ReadProgressProps {
  readonly stage: Extract<Stage, { kind: 'reading' }>
  readonly onStop: () => void
  readonly onCancel: () => void
}

export function ReadProgress({ stage, onStop, onCancel }: ReadProgressProps) {
  const { file, rows, bytesRead } = stage
  return (
    <DialogParts foot={<Button onClick={onCancel}>Cancel</Button>}>
      <BytesRead size={file.size} read={bytesRead} />
      <p className="data">
        Reading all rows to find the type of every column: {formatCount(rows)} rows,{' '}
        {formatBytes(bytesRead)} of {formatBytes(file.size)}.
      </p>
      <div className="flex flex-wrap items-center gap-y-2 gap-x-3">
        <Button onClick={onStop}>Stop reading and use the rows so far</Button>
      </div>
    </DialogParts>
  )
}

export function LoadProgress(props: { readonly stage: Loading; readonly onStop: () => void }) {
  const { spec, counts, startedAtMs, isStopping, isIndexing } = props.stage
  useNow()
  const seconds = Math.max(0.1, (performance.now() - startedAtMs) / 1000)
  const foot = (
    <Button disabled={isStopping} onClick={props.onStop}>
      {isStopping ? 'Stopping…' : 'Stop'}
    </Button>
  )
  return (
    <DialogParts foot={foot}>
      <BytesRead size={spec.file.size} read={counts.bytesRead} />
      <Figures
        figures={[
          ['rows sent', counts.sent],
          [`of ${formatBytes(spec.file.size)} read`, formatBytes(counts.bytesRead)],
          ['rows a second', Math.round(counts.sent / seconds)],
          ['rows rejected', counts.rejected, counts.rejected > 0],
        ]}
      />
      <p className="label">
        {isIndexing && 'All rows are sent; the service builds the indexes. '}
        Every batch is stored as a whole or not at all, and a batch whose answer is lost is not
        stored twice.
      </p>
    </DialogParts>
  )
}

function BytesRead({ size, read }: { readonly size: number; readonly read: number }) {
  return (
    <progress
      className="w-full h-2 border-0 rounded-sm bg-raised overflow-hidden appearance-none [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:rounded-sm [&::-webkit-progress-value]:bg-accent [&::-moz-progress-bar]:rounded-sm [&::-moz-progress-bar]:bg-accent"
      aria-label="Bytes read"
      max={Math.max(1, size)}
      value={read}
    />
  )
}

type Figure = readonly [name: string, value: number | string, isBad?: boolean]

/** Numbers with their names; those that are false are left out. */
export function Figures({ figures }: { readonly figures: readonly (Figure | false)[] }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(120px,1fr))] gap-3 m-0">
      {figures.map((figure) => {
        if (!figure) return null
        const [name, value, isBad = false] = figure
        return (
          <div key={name} className="flex flex-col-reverse">
            <dt className="label">{name}</dt>
            <dd
              className={`m-0 text-xl leading-6 font-semibold tabular-nums ${isBad ? 'text-danger' : ''}`}
            >
              {typeof value === 'number' ? formatCount(value) : value}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
