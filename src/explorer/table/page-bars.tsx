/** A bar for each page that was read, as high as it took. Pressing one shows what it cost. */
import { memo } from 'react'
import type { WalkPage } from '../queries/walk.ts'
import { Button } from '../ui/button.tsx'
import { formatBytes, formatCount } from '../ui/format.ts'
import { Popup } from '../ui/popup.tsx'

const SHOWN_PAGES = 32
const HEIGHT = 16

export interface PageBarsProps {
  readonly pages: readonly WalkPage[]
  readonly current: number | undefined
  readonly onJump: (row: number) => void
}

export const PageBars = memo(function PageBars({ pages, current = 0, onJump }: PageBarsProps) {
  // The page in view stays in the middle, as far as there are pages around it.
  const start = Math.max(0, Math.min(current - SHOWN_PAGES / 2, pages.length - SHOWN_PAGES))
  const shown = pages.slice(start, start + SHOWN_PAGES)
  const slowest = shown.reduce((most, { durationMs }) => Math.max(most, durationMs), 1)
  return (
    <span className="flex items-end h-5 max-[700px]:hidden">
      {shown.map((page) => (
        <Popup
          key={page.index}
          kind="quiet"
          className="group items-end w-2 min-h-5 px-px pt-0 pb-0.5 rounded-xs"
          label={
            <i
              className={`w-full rounded-[1px] bg-accent group-hover:opacity-100 ${page.index === current ? '' : 'opacity-50'}`}
              style={{ height: `${Math.max(3, (HEIGHT * page.durationMs) / slowest)}px` }}
            />
          }
          aria-label={`Page ${page.index + 1}`}
          panelLabel={`Page ${page.index + 1}`}
        >
          {(close) => (
            <PageDetails
              page={page}
              onJump={() => {
                close()
                onJump(page.firstRow)
              }}
            />
          )}
        </Popup>
      ))}
    </span>
  )
})

function PageDetails({ page, onJump }: { readonly page: WalkPage; readonly onJump: () => void }) {
  const { firstRow, count, byteLength, durationMs, serverMs, version, request } = page
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Rows', `${formatCount(firstRow + 1)} – ${formatCount(firstRow + count)}`],
    ['Size', `${formatBytes(byteLength)}, ${formatBytes(byteLength / Math.max(1, count))} each`],
    ['Until the last byte', `${durationMs.toFixed(1)} ms`],
    ['In the service', serverMs === undefined ? undefined : `${serverMs.toFixed(1)} ms`],
    ['Version', version === undefined ? undefined : String(version)],
    ['Received', new Date(page.receivedAtMs).toLocaleTimeString()],
    ['Call', `${request.method ?? 'GET'} ${request.path}`],
  ]
  return (
    <div className="grid gap-2 min-w-65 text-base leading-5">
      <strong>Page {page.index + 1}</strong>
      <dl className="grid gap-0.5 m-0">
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name} className="grid grid-cols-[130px_1fr] gap-2">
              <dt className="text-muted">{name}</dt>
              <dd className="m-0 wrap-anywhere">{value}</dd>
            </div>
          ),
        )}
      </dl>
      <Button onClick={onJump}>Go to its first row</Button>
    </div>
  )
}
