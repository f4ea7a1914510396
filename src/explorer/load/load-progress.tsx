/** The progress of reading a file, or of sending its objects. */
import type { ReactNode } from 'react'
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
      <BytesRead size={spec.file.size} read={counts.bytesRead} />
      <Figures>
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
      </Figures>
      <p className="label">
        {isIndexing && 'All rows are sent; the service builds the indexes. '}
        Every batch is stored as a whole or not at all, and a batch whose answer is lost is not
        stored twice.
      </p>
    </DialogParts>
  )
}

interface BytesReadProps {
  readonly size: number
  readonly read: number
}

function BytesRead({ size, read }: BytesReadProps) {
  return (
    <progress
      className={`w-full h-2 border-0 rounded-sm bg-raised overflow-hidden appearance-none ${styles.progress}`}
      aria-label="Bytes read"
      max={Math.max(1, size)}
      value={read}
    />
  )
}

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly isBad?: boolean
}

export function Figures({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(120px,1fr))] gap-3 m-0">{children}</dl>
  )
}

export function Figure({ name, value, isBad = false }: FigureProps) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="label">{name}</dt>
      <dd
        className={`m-0 text-xl leading-6 font-semibold tabular-nums ${isBad ? 'text-danger' : ''}`}
      >
        {value}
      </dd>
    </div>
  )
}
