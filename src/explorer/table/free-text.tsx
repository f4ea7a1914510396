import { type FormEvent, useEffect, useState } from 'react'
import { Icon } from '../ui/icon.tsx'
import styles from './toolbar.module.css'

export interface FreeTextProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** Searches all texts of the objects. */
export function FreeText({ text, onChange }: FreeTextProps) {
  const [written, setWritten] = useState(text)
  useEffect(() => setWritten(text), [text])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChange(written.trim())
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is not known to all browsers
    <form role="search" className={styles.search} onSubmit={submit}>
      <Icon name="search" size={14} />
      <input
        aria-label="Search all texts"
        placeholder="Search all texts"
        value={written}
        onChange={(event) => setWritten(event.target.value)}
      />
      {text !== '' && (
        <button type="button" aria-label="Clear the search" onClick={() => onChange('')}>
          <Icon name="close" size={12} />
        </button>
      )}
    </form>
  )
}
