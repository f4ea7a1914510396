/** Latest: each page shows the objects as they are now. Snapshot: all pages show one moment. */
import { Button } from '../ui/button.tsx'
import { useNow } from '../ui/use-now.ts'
import type { SetView } from '../view/use-view.ts'
import styles from './toolbar.module.css'

export interface VersionSwitchProps {
  readonly isSnapshot: boolean
  readonly setView: SetView
}

export function VersionSwitch({ isSnapshot, setView }: VersionSwitchProps) {
  return (
    <fieldset className={styles.switch}>
      <legend className="visually-hidden">Which objects the pages show</legend>
      <button
        type="button"
        aria-pressed={!isSnapshot}
        title="Each page shows the objects as they are when it is read."
        onClick={() => setView({ isSnapshot: false })}
      >
        Latest
      </button>
      <button
        type="button"
        aria-pressed={isSnapshot}
        className={styles.snapshot}
        title="All pages show the objects as they were at one moment."
        onClick={() => setView({ isSnapshot: true })}
      >
        Snapshot
      </button>
    </fieldset>
  )
}

export interface SnapshotLineProps {
  /** Undefined until the first page has arrived. */
  readonly takenAtMs: number | undefined
  readonly version: number | undefined
  readonly onRenew: () => void
}

/** Says what the snapshot is, when it was taken, and how old it is. */
export function SnapshotLine({ takenAtMs, version, onRenew }: SnapshotLineProps) {
  const now = useNow()
  if (takenAtMs === undefined) return null
  const minutes = Math.floor((now - takenAtMs) / 60_000)
  return (
    <p className={styles.snapshotLine}>
      <span>
        Snapshot of {new Date(takenAtMs).toLocaleTimeString()}
        {version === undefined ? '' : `, version ${version}`},{' '}
        {minutes < 1 ? 'less than a minute old' : `${minutes} min old`}. All pages show that moment;
        later changes are not in it.
      </span>
      <Button kind="quiet" onClick={onRenew}>
        Take a new one
      </Button>
    </p>
  )
}
