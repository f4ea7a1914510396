/**
 * The command palette: finds objects of all types, types, properties, saved views and actions. Opens
 * with Ctrl K or ⌘ K.
 */

import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { countOf } from '../../contract/count-of.ts'
import { BASE_PATH, screenPath } from '../api/base-path.ts'
import type { OntologyDefinition } from '../api/ontology.ts'
import { definitionQuery, ontologiesQuery } from '../api/service.ts'
import { foundQuery } from '../queries/find-objects.ts'
import { useSession } from '../session/session.tsx'
import { viewsQuery } from '../share/saved-views.ts'
import { useReadActions } from '../ui/actions.tsx'
import { DialogFrame } from '../ui/dialog.tsx'
import { useKeys, useListener, useSettled } from '../ui/hooks.ts'
import {
  type Command,
  commandsOf,
  commandsOfActions,
  commandsOfObjects,
  commandsOfViews,
  findCommands,
  mergeCommands,
} from './commands.ts'

const SHOWN = 12
/** The header opens the palette by this event of its own. */
export const OPEN_PALETTE = 'oqs:palette'

export function Palette() {
  const [isOpen, setOpen] = useState(false)
  const open = () => setOpen(true)
  useKeys({}, { k: open })
  useListener(OPEN_PALETTE, open)
  if (!isOpen) return null
  const close = () => setOpen(false)
  return (
    <DialogFrame
      label="Commands"
      width={520}
      className="mx-auto mt-[12vh] mb-auto"
      closesOutside
      onClose={close}
      onEscape={close}
    >
      <Commands onDone={close} />
    </DialogFrame>
  )
}

/** The list is longer than its box: the active entry stays in sight. */
const showOption = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' })

function Commands({ onDone }: { readonly onDone: () => void }) {
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const navigate = useNavigate()
  const id = useId()
  const { definitions, isReading } = useDefinitions()
  const { commands, isReadingViews } = useCommands(definitions)
  const { objects, isSearching, note } = useObjectCommands(definitions, text.trim())
  const found = mergeCommands(findCommands(commands, text, SHOWN), objects)
  const isPending = isReading || isReadingViews || isSearching
  const run = (command: Command | undefined) => {
    if (command === undefined) return
    onDone()
    if (typeof command.target === 'string')
      void navigate({ href: BASE_PATH + command.target } as never)
    else command.target()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      setActive((active + step + found.length) % found.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      run(found[active])
    }
  }
  return (
    <>
      <input
        className="w-full h-12 py-0 px-4 border-0 border-b border-b-line bg-transparent text-lg outline-none"
        // biome-ignore lint/a11y/noAutofocus: the dialog has just been opened to type into
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${active}`}
        aria-label="Find objects, types, properties, views and actions"
        placeholder="Find objects, types, properties, views and actions…"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <FoundList id={id} found={found} active={active} onChoose={run} />
      <p role="status" className="p-3 text-muted text-base empty:hidden">
        {isPending
          ? 'Searching…'
          : [found.length === 0 && 'Nothing has this name, key or text.', note]
              .filter(Boolean)
              .join(' ')}
      </p>
    </>
  )
}

interface FoundListProps {
  readonly id: string
  readonly found: readonly Command[]
  readonly active: number
  readonly onChoose: (command: Command) => void
}

function FoundList({ id, found, active, onChoose }: FoundListProps) {
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label="Found"
      className="max-h-[50vh] p-1 overflow-auto"
      tabIndex={-1}
    >
      {found.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys of all options
        <div
          key={command.id}
          id={`${id}-${index}`}
          ref={index === active ? showOption : undefined}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className="flex items-baseline gap-2 py-1.5 px-3 rounded-md cursor-pointer aria-selected:bg-accent-bg"
          onClick={() => onChoose(command)}
        >
          {/* A key stays whole: it tells apart what has the same name. */}
          <span className="min-w-0 truncate">{command.name}</span>{' '}
          {command.key !== undefined && (
            <span className="flex-none max-w-1/2 truncate text-muted text-sm">{command.key}</span>
          )}
          <span className="label flex-none ml-auto">{command.hint}</span>
        </div>
      ))}
    </div>
  )
}

function useDefinitions() {
  const { service } = useSession()
  const { data: ontologies = [], isLoading } = useQuery(ontologiesQuery(service))
  const read = useQueries({
    queries: ontologies.map(({ apiName }) => definitionQuery(service, apiName)),
    combine: (results) => ({
      definitions: results.flatMap(({ data }) => data ?? []),
      isReading: results.some((each) => each.isLoading),
    }),
  })
  return { ...read, isReading: isLoading || read.isReading }
}

function useCommands(definitions: readonly OntologyDefinition[]) {
  const { service } = useSession()
  const readActions = useReadActions()
  const saved = useQueries({
    queries: definitions.map(({ apiName }) => viewsQuery(service, apiName)),
  })
  const views = saved.flatMap(({ data = [] }, index) =>
    commandsOfViews(definitions[index]?.apiName ?? '', data),
  )
  const defined = definitions.flatMap(commandsOf)
  const commands = [...commandsOfActions(readActions()), ...views, ...defined].toSorted(
    (a, b) => Number(typeof a.target === 'function') - Number(typeof b.target === 'function'),
  )
  return { commands, isReadingViews: saved.some(({ isLoading }) => isLoading) }
}

/** Types whose objects are searched, those of the ontology on the screen first. */
const MOST_TYPES = 40
const SHORTEST = 2

/** Returns the objects that fit a text: each type is asked at the same time, and shown as it answers. */
function useObjectCommands(definitions: readonly OntologyDefinition[], text: string) {
  const { service } = useSession()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const settled = useSettled(text)
  const isHere = ({ apiName }: OntologyDefinition) =>
    path.startsWith(screenPath(apiName), BASE_PATH.length)
  const types = definitions
    .toSorted((a, b) => Number(isHere(b)) - Number(isHere(a)))
    .flatMap((ontology) => ontology.objectTypes.map((objectType) => ({ ontology, objectType })))
  const { found, isFetching, failures } = useQueries({
    queries: types.slice(0, MOST_TYPES).map((type) => ({
      ...foundQuery(service, type, settled),
      enabled: settled.length >= SHORTEST,
      placeholderData: keepPreviousData,
    })),
    combine: (results) => ({
      found: results.flatMap(({ data = [] }) => data),
      isFetching: results.some((each) => each.isFetching),
      failures: results.filter(({ error }) => error !== null).length,
    }),
  })
  if (text.length < SHORTEST) {
    return { objects: [], isSearching: false, note: text === '' ? undefined : TOO_SHORT }
  }
  const searched = Math.min(types.length, MOST_TYPES) - failures
  const note =
    searched === types.length
      ? undefined
      : `The objects of ${searched} of ${countOf(types.length, 'type')} were searched.`
  const isSearching = isFetching || settled !== text
  return { objects: commandsOfObjects(found), isSearching, note }
}

const TOO_SHORT = 'Objects are found by two characters or more.'
