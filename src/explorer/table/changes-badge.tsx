/** How many objects have changed since the table was read, and which. */
import { useState } from 'react'
import { tokenRefusal } from '../../client/oqs-error.ts'
import { formatCount } from '../../contract/count-of.ts'
import { messageOf } from '../api/service.ts'
import { type ChangedObject, type ChangesState, MOST_CHANGED } from '../queries/changes.ts'
import { useChangesState } from '../queries/use-changes.ts'
import { Button } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { useObjects } from './use-objects.ts'

export function ChangesBadge() {
  const { changes } = useObjects()
  const state = useChangesState(changes)
  const { changed, isLive, error } = state
  const isShown = changed.size > 0 || error !== undefined
  return (
    <div className="flex items-center ml-auto">
      {!isShown && isLive && <span title="Changes are counted as they are written.">live</span>}
      {isShown && (
        <Popup
          kind="quiet"
          className={`min-h-6 py-0 text-sm -outline-offset-2 ${changed.size > 0 ? 'border-accent bg-accent-bg text-accent' : 'text-muted'}`}
          label={changed.size > 0 ? `${countText(state)} changed` : 'not live'}
          panelLabel="What has changed"
        >
          {(close) => <ChangesPanel state={state} close={close} />}
        </Popup>
      )}
      {/* Said once, and not for every change. */}
      <p className="sr-only" role="status">
        {changed.size > 0 && 'Objects have changed since the table was read.'}
      </p>
    </div>
  )
}

function countText({ changed }: ChangesState): string {
  return `${formatCount(changed.size)}${changed.size < MOST_CHANGED ? '' : '+'}`
}

/** Objects that the panel lists. */
const LISTED = 100

interface ChangesPanelProps {
  readonly state: ChangesState
  readonly close: () => void
}

function ChangesPanel({ state, close }: ChangesPanelProps) {
  const { walk, setView, showChanges } = useObjects()
  // What changes while somebody reads the list does not move it.
  const [listed] = useState(() => [...state.changed.values()].reverse())
  const { startedAtMs = 0 } = walk.state
  const { error } = state
  const readAgain = () => {
    close()
    showChanges()
    // The button goes with the changes.
    document.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus()
  }
  const peek = (key: string) => {
    close()
    setView({ peek: key }, { replace: true })
  }
  return (
    <div className="grid gap-3 w-[min(340px,calc(100vw-40px))] text-base leading-5 text-ink whitespace-normal">
      {listed.length > 0 && (
        <>
          <p className="label">
            Changed since {new Date(startedAtMs).toLocaleTimeString()}, when the table was read
          </p>
          <ul className="-mx-2 my-0 p-0 max-h-75 overflow-auto list-none">
            {listed.slice(0, LISTED).map((object) => (
              <ChangedItem key={object.key} object={object} onPeek={peek} />
            ))}
          </ul>
          {listed.length > LISTED && (
            <p className="label">and {formatCount(listed.length - LISTED)} more</p>
          )}
        </>
      )}
      {error !== undefined && (
        <p className="text-muted">
          {tokenRefusal(error) !== undefined
            ? 'The changes since the table was read are no longer known.'
            : `Changes are not counted: ${messageOf(error)}`}
        </p>
      )}
      <Button kind="primary" onClick={readAgain}>
        Read the table again
      </Button>
    </div>
  )
}

interface ChangedItemProps {
  readonly object: ChangedObject
  readonly onPeek: (key: string) => void
}

function ChangedItem({ object: { key, title, isGone }, onPeek }: ChangedItemProps) {
  return (
    <li className="flex items-baseline gap-2">
      {isGone ? (
        <>
          <span className="flex-1 min-w-0 py-1 px-2 truncate text-muted line-through">{key}</span>
          <span
            className="pr-2 text-muted text-sm"
            title="Deleted, or no longer among these objects."
          >
            gone
          </span>
        </>
      ) : (
        <button
          type="button"
          className="flex-1 min-w-0 py-1 px-2 border-0 rounded-sm bg-transparent text-accent text-left truncate cursor-pointer hover:bg-raised"
          onClick={() => onPeek(key)}
        >
          {title ?? key}
          {title !== undefined && title !== key && (
            <span className="ml-1.5 text-muted text-sm">{key}</span>
          )}
        </button>
      )}
    </li>
  )
}
