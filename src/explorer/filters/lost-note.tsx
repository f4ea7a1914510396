/** What is missing, in the place of something that would mean another thing without it. */
import { Button } from '../ui/controls.tsx'
import type { LostPart } from '../view/lost-parts.ts'

export interface LostNoteProps<Change> {
  readonly lost: readonly LostPart<Change>[]
  /** Carries out a change that repairs the view; nothing is offered without it. */
  readonly onChange?: ((change: Change) => void) | undefined
}

export function LostNote<Change>({ lost, onChange }: LostNoteProps<Change>) {
  if (lost.length === 0) return null
  return (
    <div role="alert" className="grid gap-2 text-base leading-5">
      {lost.map((part) => (
        <div key={part.name} className="flex flex-wrap items-center gap-2">
          <p className="basis-full wrap-anywhere">
            <b className="font-semibold">{part.name}</b>: {part.reason}.
            {part.renamed && ` It is called ${part.renamed.name} now.`}
          </p>
          {onChange && <Repairs part={part} onChange={onChange} />}
        </div>
      ))}
    </div>
  )
}

function Repairs<Change>(props: {
  readonly part: LostPart<Change>
  readonly onChange: (change: Change) => void
}) {
  const { part, onChange } = props
  const { name, renamed, without } = part
  return (
    <>
      {renamed && <Button onClick={() => onChange(renamed.change)}>Use {renamed.name}</Button>}
      {without && (
        <Button aria-label={`Remove ${name}`} onClick={() => onChange(without)}>
          Remove
        </Button>
      )}
    </>
  )
}
