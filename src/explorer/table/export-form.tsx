/** Exports all objects of the view, not only the rows that were read. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import { BASE_PATH } from '../api/base-path.ts'
import { messageOf } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { Button, IconButton, Mistake } from '../ui/controls.tsx'
import { CheckField, FORM, Segments, submits, TextField } from '../ui/fields.tsx'
import { useTask } from '../ui/hooks.ts'
import { readViews, removeView, saveView } from '../view/saved-views.ts'
import { downloadRequest, type ExportFormat } from './export-request.ts'
import { useObjects } from './use-objects.ts'

export function ExportForm({ onDone }: { readonly onDone: () => void }) {
  const { service } = useSession()
  const { of, walk } = useObjects()
  const { totalCount, pages } = walk.state
  const [format, setFormat] = useState<ExportFormat>('csv')
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
        one snapshot, in the order of their keys.
      </p>
      <Segments
        label="Format"
        options={{ ndjson: 'NDJSON', csv: 'CSV' }}
        value={format}
        onChange={setFormat}
      />
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

export interface SavedViewsProps {
  /** A name for the view that is shown. */
  readonly suggestion: string
  readonly onDone: () => void
}

/** The views that this browser keeps, and a form to keep the one that is shown. */
export function SavedViews({ suggestion, onDone }: SavedViewsProps) {
  const [views, setViews] = useState(() => readViews(localStorage))
  const [name, setName] = useState(suggestion)
  const navigate = useNavigate()
  const save = () => {
    const address = location.pathname.slice(BASE_PATH.length) + location.search
    saveView(localStorage, { name: name.trim(), address })
    onDone()
  }
  return (
    <form className={FORM} onSubmit={submits(save)}>
      {views.length > 0 && (
        <ul
          className="grid gap-0.5 max-h-75 m-0 p-0 overflow-auto list-none text-base"
          aria-label="Saved views"
        >
          {views.map((view) => (
            <li key={view.name} className="flex items-center justify-between gap-2">
              <a
                href={BASE_PATH + view.address}
                onClick={(event) => {
                  event.preventDefault()
                  onDone()
                  void navigate({ href: BASE_PATH + view.address } as never)
                }}
              >
                {view.name}
              </a>
              <IconButton
                icon="close"
                size={12}
                label={`Remove ${view.name}`}
                onClick={() => {
                  removeView(localStorage, view.name)
                  setViews(readViews(localStorage))
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <TextField label="Keep this view as" value={name} required onChange={setName} />
      <Button type="submit" kind="primary" className="mt-1.5">
        Save
      </Button>
    </form>
  )
}
