/** What the reader must know about a walk: that it failed, reached the cap, or found nothing. */
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { formatCount } from '../ui/format.ts'
import type { SetView } from '../view/use-view.ts'
import type { ViewState } from '../view/view-state.ts'
import type { ViewWalk } from './use-walk.ts'
import styles from './walk-notice.module.css'

export interface WalkNoticeProps {
  readonly walk: ViewWalk
  readonly view: ViewState
  readonly setView: SetView
  readonly onRestart: () => void
}

export function WalkNotice({ walk: { walk, state }, view, setView, onRestart }: WalkNoticeProps) {
  const { error, rowCount } = state
  if (error?.errorName === 'ObjectsExceededLimit') {
    return (
      <div className={styles.notice} role="status">
        <p>
          Revision 1.0 returns {formatCount(rowCount)} objects of a list at most, and there are
          more.
        </p>
        <Button onClick={() => setView({ revision: 'v2' })}>Go on with v2</Button>
      </div>
    )
  }
  if (error?.errorName === 'InvalidPageToken') {
    return (
      <div className={styles.notice} role="status">
        <p>The token of the next page has expired. The {formatCount(rowCount)} rows below stay.</p>
        <Button onClick={onRestart}>Start again</Button>
      </div>
    )
  }
  if (error !== undefined) {
    return <ErrorNote error={error} onRetry={() => void walk.loadNext()} />
  }
  if (state.isComplete && rowCount === 0) {
    return (
      <div className={styles.notice} role="status">
        <p>No object matches.</p>
        {view.filters.length > 0 && (
          <Button onClick={() => setView({ filters: [], text: '', box: undefined })}>
            Remove all filters
          </Button>
        )}
      </div>
    )
  }
  return null
}
