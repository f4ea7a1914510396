/** Exports all objects of the view, not only the rows that were read. */
import { useState } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import type { ExportFormat } from '../../contract/export-formats.ts'
import { BASE_PATH } from '../api/base-path.ts'
import { messageOf } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { Button, Mistake } from '../ui/controls.tsx'
import { CheckField, FORM, Segments, submits } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'
import { downloadRequest } from './export-request.ts'
import { useObjects } from './use-objects.ts'

const EXCEL_LIMITS =
  'Numbers of more than 15 digits become texts. Texts of more than 32,767 characters are cut; a sheet lists them. After 1,048,575 objects, another sheet continues.'

export function ExportForm({ onDone }: { readonly onDone: () => void }) {
  const { service } = useSession()
  const { of, walk } = useObjects()
  const { totalCount, pages } = walk.state
  // Programs that read Arrow send requests of their own.
  const [format, setFormat] = useState<Exclude<ExportFormat, 'arrow'>>('csv')
  const [isShownOnly, setShownOnly] = useState(true)
  const { run, error } = useTask()
  const download = () =>
    run(async () => {
      const request = downloadRequest(of, { format, isShownOnly, version: pages[0]?.version })
      const { path } = await service.connection.send<{ readonly path: string }>(request)
      const link = document.createElement('a')
      link.href = BASE_PATH + path
      link.download = ''
      link.click()
      onDone()
    })
  return (
    <form className={FORM} onSubmit={submits(download)}>
      <p className="data">
        {totalCount === undefined ? 'All matches' : `All ${formatCount(totalCount)} matches`}, as
        one snapshot, in the order of {of.view.order.length > 0 ? 'the table' : 'their keys'}.
      </p>
      <Segments
        label="Format"
        options={{ csv: 'CSV', xlsx: 'Excel', parquet: 'Parquet', ndjson: 'NDJSON' }}
        value={format}
        onChange={setFormat}
      />
      {format === 'xlsx' && <p className="label">{EXCEL_LIMITS}</p>}
      {of.view.columns !== undefined && (
        <CheckField label="Only the columns in view" isOn={isShownOnly} onChange={setShownOnly} />
      )}
      <Mistake>{error && messageOf(error)}</Mistake>
      <Button type="submit" kind="primary" className="mt-1.5">
        Download
      </Button>
    </form>
  )
}
