/** Takes files that are dropped on the page, and opens the dialogs; only for callers that may write. */

import { useParams } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import { useCanWrite } from '../session/use-writes.ts'
import { useActions } from '../ui/actions.tsx'
import { Button, Icon } from '../ui/button.tsx'
import { lazyDialog } from '../ui/lazy-part.tsx'
import type { ScreenParams } from './messages.ts'

// Loaded when they are first opened: most visits only read.
const LoadDialog = lazyDialog('load', async () => (await import('./load-dialog.tsx')).LoadDialog)
const CreateTypeDialog = lazyDialog(
  'create type',
  async () => (await import('./create-type-dialog.tsx')).CreateTypeDialog,
)

export function LoadArea() {
  return useCanWrite() ? <OpenArea /> : null
}

interface Opened {
  readonly what: OpenLoad
  readonly files: readonly File[]
}

function OpenArea() {
  const screen = useParams({ strict: false }) as ScreenParams
  const [opened, setOpened] = useState<Opened>()
  const open = (what: OpenLoad) => setOpened({ what, files: [] })
  useActions([
    { name: 'Load a file', run: () => open('file') },
    { name: 'New object type', run: () => open('type') },
  ])
  useEffect(() => {
    const listen = ({ detail }: CustomEvent<OpenLoad>) => setOpened({ what: detail, files: [] })
    addEventListener(OPEN_LOAD, listen as EventListener)
    return () => removeEventListener(OPEN_LOAD, listen as EventListener)
  }, [])
  const drop = useCallback((files: readonly File[]) => setOpened({ what: 'file', files }), [])
  const isDragged = useDrop(opened === undefined && screen.key === undefined, drop)
  const close = () => setOpened(undefined)
  return (
    <>
      {isDragged && (
        <div className="fixed inset-2 z-30 grid place-items-center border-2 border-dashed border-accent rounded-xl bg-accent-bg/80 pointer-events-none">
          <p className="py-4 px-6 rounded-lg bg-panel shadow-lg text-accent text-xl leading-6 font-semibold">
            Drop the file to load it{screen.type === undefined ? '' : ` into ${screen.type}`}
          </p>
        </div>
      )}
      {opened?.what === 'file' && (
        <LoadDialog files={opened.files} screen={screen} onClose={close} />
      )}
      {opened?.what === 'type' && <CreateTypeDialog screen={screen} onClose={close} />}
    </>
  )
}

/** Takes files dropped anywhere on the page; returns whether one is being dragged over it. */
function useDrop(isEnabled: boolean, onDrop: (files: readonly File[]) => void): boolean {
  const [isDragged, setDragged] = useState(false)
  // Entering an element comes before leaving the one around it.
  const depth = useRef(0)
  useEffect(() => {
    if (!isEnabled) return
    const end = () => {
      depth.current = 0
      setDragged(false)
    }
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth.current += 1
      setDragged(true)
    }
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return
      depth.current -= 1
      if (depth.current <= 0) end()
    }
    const over = (event: DragEvent) => {
      // Without this, the browser would open the file.
      if (hasFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      end()
      onDrop([...(event.dataTransfer?.files ?? [])])
    }
    const listeners = { dragenter: enter, dragleave: leave, dragover: over, drop } as const
    for (const [name, listener] of Object.entries(listeners)) {
      addEventListener(name, listener as EventListener)
    }
    return () => {
      end()
      for (const [name, listener] of Object.entries(listeners)) {
        removeEventListener(name, listener as EventListener)
      }
    }
  }, [isEnabled, onDrop])
  return isDragged
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false
}

/** The buttons open the dialogs by this event of their own. */
const OPEN_LOAD = 'oqs:load'

export type OpenLoad = 'file' | 'type'

const open = (what: OpenLoad) => dispatchEvent(new CustomEvent(OPEN_LOAD, { detail: what }))

/** The button that loads a file; nothing without the right to write. */
export function LoadButton({ isSmall = false }: { readonly isSmall?: boolean }) {
  if (!useCanWrite()) return null
  return (
    <Button onClick={() => open('file')} aria-label="Load a file" title="Load a file">
      <Icon name="upload" size={14} />
      {!isSmall && 'Load a file'}
    </Button>
  )
}

/** The button that creates an object type; nothing without the right to write. */
export function CreateTypeButton() {
  if (!useCanWrite()) return null
  return (
    <Button onClick={() => open('type')}>
      <Icon name="plus" size={14} />
      New type
    </Button>
  )
}

// Loaded when it is first opened: most visits only read.
const TypeDialog = lazyDialog('type', async () => (await import('./type-dialog.tsx')).TypeDialog)

export interface TypeButtonProps {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
}

/** The button that renames or deletes an object type; nothing without the right to write. */
export function TypeButton(props: TypeButtonProps) {
  return useCanWrite() ? <OpenButton {...props} /> : null
}

function OpenButton({ ontology, objectType }: TypeButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const label = 'Rename or delete the type'
  useActions([{ name: label, run: () => setOpen(true) }])
  return (
    <>
      <Button onClick={() => setOpen(true)} aria-label={label} title={label}>
        <Icon name="settings" size={14} />
      </Button>
      {isOpen && (
        <TypeDialog ontology={ontology} objectType={objectType} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
