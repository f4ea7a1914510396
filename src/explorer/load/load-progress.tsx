/** The progress of reading a file, or of sending its objects. */
import { Button } from '../ui/button.tsx'
import { DialogParts } from '../ui/dialog.tsx'
import { formatBytes, formatCount } from '../ui/format.ts'
import { useNow } from '../ui/use-now.ts'
import styles from './load.module.css'
import type { Loading, Stage } from './use-file-load.ts'

export interface ReadProgressProps {
  readonly stage: Extract<Stage, { kind: 'reading' }>
  readonly onStop: () => void
  readonly onCancel: () => void
}

export function ReadProgress({ stage, onStop, onCancel }: ReadProgressProps) {
  const { file, rows, bytesRead } = stage
  return (
    <DialogParts foot={<Button onClick={onCancel}>Cancel</Button>}>
      <progress
        className={styles.progress}
        aria-label="Bytes read"
        max={Math.max(1, file.size)}
        value={bytesRead}
      />
      <p className="data">
        Reading all rows to find the type of every column: {formatCount(rows)} rows,{' '}
        {formatBytes(bytesRead)} of {formatBytes(file.size)}.
      </p>
      <div className={styles.row}>
        <Button onClick={onStop}>Stop reading and use the rows so far</Button>
      </div>
    </DialogParts>
  )
}

export interface LoadProgressProps {
  readonly stage: Loading
  readonly onStop: () => void
}

export function LoadProgress({ stage, onStop }: LoadProgressProps) {
  const { spec, counts, startedAtMs, isStopping, isIndexing } = stage
  useNow()
  const seconds = Math.max(0.1, (performance.now() - startedAtMs) / 1000)
  const foot = (
    <Button disabled={isStopping} onClick={onStop}>
      {isStopping ? 'Stopping…' : 'Stop'}
    </Button>
  )
  return (
    <DialogParts foot={foot}>
      <progress
        className={styles.progress}
        aria-label="Bytes read"
        max={Math.max(1, spec.file.size)}
        value={counts.bytesRead}
      />
      <dl className={styles.figures}>
        <Figure name="rows sent" value={formatCount(counts.sent)} />
        <Figure
          name={`of ${formatBytes(spec.file.size)} read`}
          value={formatBytes(counts.bytesRead)}
        />
        <Figure name="rows a second" value={formatCount(Math.round(counts.sent / seconds))} />
        <Figure
          name="rows rejected"
          value={formatCount(counts.rejected)}
          isBad={counts.rejected > 0}
        />
      </dl>
      <p className="label">
        {isIndexing && 'All rows are sent; the service builds the indexes. '}
        Every batch is stored as a whole or not at all, and a batch whose answer is lost is not
        stored twice.
      </p>
    </DialogParts>
  )
}

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly isBad?: boolean
}

export function Figure({ name, value, isBad = false }: FigureProps) {
  return (
    <div>
      <dt className="label">{name}</dt>
      <dd data-bad={isBad}>{value}</dd>
    </div>
  )
}
