import { useState } from 'react'
import type { ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import { useCanWrite } from '../session/use-writes.ts'
import { useActions } from '../ui/actions.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/lazy-part.tsx'

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
