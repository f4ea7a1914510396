/** Exports all objects of the view, not only the rows that were read. */

import { type FormEvent, useState } from 'react'
import { BASE_PATH } from '../api/base-path.ts'
import { messageOf } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Segments } from '../ui/segments.tsx'
import type { TypeView } from '../view/type-view.ts'
import { downloadRequest, type ExportFormat, FORMATS } from './export-request.ts'
import styles from './filter-form.module.css'

export interface ExportFormProps {
  readonly of: TypeView
  /** Objects that match the view. */
  readonly count: number | undefined
  /** The version in view. */
  readonly version: number | undefined
  readonly onDone: () => void
}

const FORMAT_NAMES: Readonly<Record<ExportFormat, string>> = { ndjson: 'NDJSON', csv: 'CSV' }

export function ExportForm({ of, count, version, onDone }: ExportFormProps) {
  const { service } = useSession()
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [isShownOnly, setShownOnly] = useState(true)
  const [error, setError] = useState<string>()
  const hasColumns = of.view.columns !== undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      const request = downloadRequest(of, { format, isShownOnly, version })
      const { path } = await service.connection.send<{ readonly path: string }>(request)
      const link = document.createElement('a')
      link.href = BASE_PATH + path
      link.download = ''
      link.click()
      onDone()
    } catch (reason) {
      setError(messageOf(reason))
    }
  }
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <p className="data">
        {count === undefined ? 'All matches' : `All ${formatCount(count)} matches`}, as one
        snapshot, in the order of their keys.
      </p>
      <Segments
        label="Format"
        options={FORMATS}
        nameOf={(name) => FORMAT_NAMES[name]}
        value={format}
        onChange={setFormat}
      />
      {hasColumns && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={isShownOnly}
            onChange={() => setShownOnly(!isShownOnly)}
          />
          Only the columns in view
        </label>
      )}
      {error !== undefined && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      <Button type="submit" kind="primary">
        Download
      </Button>
    </form>
  )
}
