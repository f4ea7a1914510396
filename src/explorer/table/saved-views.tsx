import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { BASE_PATH } from '../api/base-path.ts'
import { Button } from '../ui/button.tsx'
import { FORM, TextField } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { readViews, removeView, saveView } from '../view/saved-views.ts'

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
