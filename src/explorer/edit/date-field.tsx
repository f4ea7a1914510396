/** A field for a date or a time: text as the service reads it, with the calendar of the browser. */
import { useRef } from 'react'
import { IconButton } from '../ui/controls.tsx'
import { TextField } from '../ui/fields.tsx'

export interface DateFieldProps {
  readonly label: string
  readonly type: 'date' | 'timestamp'
  readonly value: string
  readonly error: string | undefined
  readonly readOnly: boolean
  readonly onChange: (value: string) => void
}

/** How the calendar of the browser writes each type. Timestamps are shown and chosen in UTC. */
const CALENDARS = {
  date: {
    input: 'date',
    hint: 'YYYY-MM-DD',
    read: (value: string) => value,
    write: (chosen: string) => chosen,
  },
  timestamp: {
    input: 'datetime-local',
    hint: 'YYYY-MM-DDThh:mm:ssZ',
    read: (value: string) => /^(.{16}:\d\d)(\.\d+)?Z$/.exec(value)?.[1] ?? '',
    write: (chosen: string) => `${chosen.length === 16 ? `${chosen}:00` : chosen}Z`,
  },
} as const

export function DateField({ type, ...field }: DateFieldProps) {
  const calendar = useRef<HTMLInputElement>(null)
  const { input, hint, read, write } = CALENDARS[type]
  const { label, value, readOnly, onChange } = field
  return (
    <div className="relative">
      <TextField {...field} className="pr-8" placeholder={hint} />
      {!readOnly && (
        <>
          <IconButton
            icon="calendar"
            label={`Choose ${label}`}
            className="absolute right-0.5 top-5.5 h-7"
            onClick={() => calendar.current?.showPicker()}
          />
          <input
            ref={calendar}
            type={input}
            step={type === 'timestamp' ? 1 : undefined}
            className="absolute right-4 top-8 w-px h-px p-0 border-0 opacity-0 pointer-events-none"
            tabIndex={-1}
            aria-hidden="true"
            value={read(value)}
            onChange={({ target }) => {
              if (target.value !== '') onChange(write(target.value))
            }}
          />
        </>
      )}
    </div>
  )
}
