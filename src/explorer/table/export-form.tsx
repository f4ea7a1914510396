/** Exports all objects of the view, not only the rows that were read. */

import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { BASE_PATH } from '../api/base-path.ts'
import { messageOf } from '../api/service.ts'
import { useSession } from '../session/session.tsx'
import { Button, Icon } from '../ui/button.tsx'
import { CheckField, FORM, Segments, TextField } from '../ui/fields.tsx'
import { formatCount } from '../ui/format.ts'
import { useTask } from '../ui/use-task.ts'
import { readViews, removeView, saveView } from '../view/saved-views.ts'
import type { TypeView } from '../view/type-view.ts'
import { downloadRequest, type ExportFormat, FORMATS } from './export-request.ts'

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
  const { run, error } = useTask()
  const hasColumns = of.view.columns !== undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const request = downloadRequest(of, { format, isShownOnly, version })
      const { path } = await service.connection.send<{ readonly path: string }>(request)
      const link = document.createElement('a')
      link.href = BASE_PATH + path
      link.download = ''
      link.click()
      onDone()
    })
  }
  return (
    <form className={FORM} onSubmit={submit}>
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
        <CheckField label="Only the columns in view" isOn={isShownOnly} onChange={setShownOnly} />
      )}
      {error !== undefined && (
        <p role="alert" className="text-danger text-base leading-5">
          {messageOf(error)}
        </p>
      )}
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
  const save = (event: FormEvent) => {
    event.preventDefault()
    saveView(localStorage, {
      name: name.trim(),
      address: location.pathname.slice(BASE_PATH.length) + location.search,
    })
    onDone()
  }
  return (
    <form className={FORM} onSubmit={save}>
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
              <Button
                kind="quiet"
                aria-label={`Remove ${view.name}`}
                onClick={() => {
                  removeView(localStorage, view.name)
                  setViews(readViews(localStorage))
                }}
              >
                <Icon name="close" size={12} />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <TextField
        label="Keep this view as"
        value={name}
        required
        autoComplete="off"
        onChange={setName}
      />
      <Button type="submit" kind="primary" className="mt-1.5">
        Save
      </Button>
    </form>
  )
}
