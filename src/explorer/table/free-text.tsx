import { type FormEvent, useEffect, useState } from 'react'
import { Icon } from '../ui/icon.tsx'

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
    <form
      role="search"
      className="flex flex-[1_1_140px] min-w-35 max-w-60 items-center gap-1.5 h-8 py-0 px-2 border border-edge rounded-md focus-within:outline-2 focus-within:outline-accent max-[700px]:basis-[45%] max-[700px]:max-w-none max-[700px]:order-1"
      onSubmit={submit}
    >
      <Icon name="search" size={14} />
      <input
        className="flex-1 min-w-0 border-0 bg-transparent text-base outline-none"
        aria-label="Search all texts"
        placeholder="Search all texts"
        value={written}
        onChange={(event) => setWritten(event.target.value)}
      />
      {text !== '' && (
        <button
          type="button"
          className="inline-flex p-1 border-0 bg-transparent cursor-pointer"
          aria-label="Clear the search"
          onClick={() => onChange('')}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </form>
  )
}
