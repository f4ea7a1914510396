/** Takes files that are dropped on the page, and opens the dialogs; only for callers that may write. */

import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useCanWrite } from '../session/use-writes.ts'
import { useActions } from '../ui/actions.tsx'
import { Button, Icon } from '../ui/controls.tsx'
import { useListener } from '../ui/hooks.ts'
import { lazyDialog } from '../ui/lazy-part.tsx'
import type { ShownType } from '../view/type-view.ts'
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

function OpenArea() {
  const screen = useParams({ strict: false }) as ScreenParams
  const [opened, setOpened] = useState<{
    readonly what: OpenLoad
    readonly files: readonly File[]
  }>()
  const open = (what: OpenLoad) => setOpened({ what, files: [] })
  useActions([
    { name: 'Load a file', run: () => open('file') },
    { name: 'New object type', run: () => open('type') },
  ])
  useListener(OPEN_LOAD, ({ detail }: CustomEvent<OpenLoad>) => open(detail))
  const isDragged = useDrop(opened === undefined && screen.key === undefined, (files) =>
    setOpened({ what: 'file', files }),
  )
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
  // Entering an element comes before leaving the one around it.
  const [depth, setDepth] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen starts again
  useEffect(() => setDepth(0), [isEnabled])
  const useFiles = (name: string, act: (event: DragEvent) => void) =>
    useListener(name, (event: DragEvent) => {
      if (isEnabled && event.dataTransfer?.types.includes('Files')) act(event)
    })
  useFiles('dragenter', () => setDepth((last) => last + 1))
  useFiles('dragleave', () => setDepth((last) => Math.max(0, last - 1)))
  // Without this, the browser would open the file.
  useFiles('dragover', (event) => event.preventDefault())
  useFiles('drop', (event) => {
    event.preventDefault()
    setDepth(0)
    onDrop([...(event.dataTransfer?.files ?? [])])
  })
  return isEnabled && depth > 0
}

/** The buttons open the dialogs by this event of their own. */
const OPEN_LOAD = 'oqs:load'

type OpenLoad = 'file' | 'type'

const open = (what: OpenLoad) => dispatchEvent(new CustomEvent(OPEN_LOAD, { detail: what }))

/** A name that a mouse asks for: it is shown where there is none, and where tools have a line each. */
const FOR_FINGERS = 'hidden pointer-coarse:inline max-[700px]:inline'

/** The button that loads a file; nothing without the right to write. */
export function LoadButton({ isSmall = false }: { readonly isSmall?: boolean }) {
  if (!useCanWrite()) return null
  return (
    <Button onClick={() => open('file')} aria-label="Load a file" title="Load a file">
      <Icon name="upload" size={14} />
      <span className={isSmall ? FOR_FINGERS : undefined}>Load a file</span>
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

/** The button that renames or deletes an object type; nothing without the right to write. */
export function TypeButton(props: ShownType) {
  return useCanWrite() ? <OpenButton {...props} /> : null
}

function OpenButton(props: ShownType) {
  const [isOpen, setOpen] = useState(false)
  const label = 'Rename or delete the type'
  const open = () => setOpen(true)
  useActions([{ name: label, run: open }])
  return (
    <>
      <Button aria-label={label} title={label} onClick={open}>
        <Icon name="settings" size={14} />
        <span className={FOR_FINGERS}>Type</span>
      </Button>
      {isOpen && <TypeDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}
