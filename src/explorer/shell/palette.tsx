/** The command palette: jumps to any type of any ontology. Opens with Ctrl K or ⌘ K. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { nameOf } from '../api/ontology.ts'
import { definitionQuery, ontologiesQuery } from '../api/queries.ts'
import styles from './palette.module.css'
import { useSession } from './session.tsx'

interface Command {
  readonly name: string
  readonly hint: string
  readonly to: string
}

const SHOWN = 12

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
  }, [isOpen])
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label="Go to"
      onClose={() => setOpen(false)}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
      onKeyDown={({ key }) => key === 'Escape' && dialog.current?.close()}
    >
      {isOpen && <Commands onDone={() => dialog.current?.close()} />}
    </dialog>
  )
}

function Commands({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const navigate = useNavigate()
  const id = useId()
  const found = useCommands()
    .filter(({ name, hint }) => `${name} ${hint}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, SHOWN)
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onDone()
    void navigate({ to: command.to as '/' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      setActive((active + step + found.length) % found.length)
    }
    if (event.key === 'Enter') run(found[active])
  }
  return (
    <>
      <input
        className={styles.input}
        // biome-ignore lint/a11y/noAutofocus: the dialog has just been opened to type into
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={`${id}-${active}`}
        aria-label="Go to a type"
        placeholder="Go to a type…"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Types"
        className={styles.list}
        tabIndex={-1}
      >
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys of all options
          <div
            key={command.to}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={styles.option}
            onClick={() => run(command)}
          >
            <span>{command.name}</span>
            <span className="label">{command.hint}</span>
          </div>
        ))}
      </div>
    </>
  )
}

function useCommands(): readonly Command[] {
  const { send } = useSession()
  const { data: ontologies = [] } = useQuery(ontologiesQuery(send))
  const definitions = useQueries({
    queries: ontologies.map(({ apiName }) => definitionQuery(send, apiName)),
  })
  return definitions.flatMap(({ data }) => {
    if (data === undefined) return []
    const home = `/o/${encodeURIComponent(data.apiName)}`
    return [
      { name: nameOf(data), hint: 'ontology', to: home },
      ...data.objectTypes.map((type) => ({
        name: nameOf(type),
        hint: nameOf(data),
        to: `${home}/${encodeURIComponent(type.apiName)}`,
      })),
    ]
  })
}
