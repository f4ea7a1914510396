/** Latest: each page shows the objects as they are now. Snapshot: all pages show one moment. */
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { useNow } from '../ui/use-now.ts'
import type { SetView } from '../view/use-view.ts'

export interface VersionSwitchProps {
  readonly isSnapshot: boolean
  readonly setView: SetView
}

const VERSIONS = {
  latest: { name: 'Latest', title: 'Each page shows the objects as they are when it is read.' },
  snapshot: { name: 'Snapshot', title: 'All pages show the objects as they were at one moment.' },
} as const

export function VersionSwitch({ isSnapshot, setView }: VersionSwitchProps) {
  return (
    <Segments
      label="Which objects the pages show"
      options={['latest', 'snapshot'] as const}
      nameOf={(version) => VERSIONS[version].name}
      titleOf={(version) => VERSIONS[version].title}
      value={isSnapshot ? 'snapshot' : 'latest'}
      onChange={(version) => setView({ isSnapshot: version === 'snapshot' })}
    />
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
    <p className="flex flex-wrap items-center gap-2 -mx-3 mt-0 -mb-2 py-0 px-3 border-l-3 border-l-snapshot bg-snapshot-bg text-snapshot text-sm">
      <span>
        Snapshot of {new Date(takenAtMs).toLocaleTimeString()}
        {version === undefined ? '' : `, version ${version}`},{' '}
        {minutes < 1 ? 'less than a minute old' : `${minutes} min old`}. All pages show that moment;
        later changes are not in it.
      </span>
      <Button kind="quiet" className="min-h-7 text-inherit text-sm underline" onClick={onRenew}>
        Take a new one
      </Button>
    </p>
  )
}
