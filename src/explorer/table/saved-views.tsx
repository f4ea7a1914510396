import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { BASE_PATH } from '../api/base-path.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { readViews, removeView, saveView } from '../view/saved-views.ts'
import styles from './filter-form.module.css'

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
  const id = useId()
  const save = (event: FormEvent) => {
    event.preventDefault()
    saveView(localStorage, {
      name: name.trim(),
      address: location.pathname.slice(BASE_PATH.length) + location.search,
    })
    onDone()
  }
  return (
    <form className={styles.form} onSubmit={save}>
      {views.length > 0 && (
        <ul className={styles.views} aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name}>
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
      <label className="label" htmlFor={id}>
        Keep this view as
      </label>
      <input
        id={id}
        value={name}
        required
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" kind="primary">
        Save
      </Button>
    </form>
  )
}
