import { useCanWrite } from '../session/use-writes.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** The buttons open the dialogs by this event of their own. */
export const OPEN_LOAD = 'oqs:load'

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
