import { useId } from 'react'
import { DATE_FORMATS } from './date-formats.ts'

export interface DateFormatFieldProps {
  /** The name of the column or the property. */
  readonly name: string
  /** Empty for ISO 8601. */
  readonly value: string
  readonly onChange: (format: string) => void
}

/** A field for the format of the dates of a column: one of a list, or any other. */
export function DateFormatField({ name, value, onChange }: DateFormatFieldProps) {
  const id = useId()
  return (
    <>
      <input
        aria-label={`Date format of ${name}`}
        title="How the dates are written in the file"
        list={id}
        value={value}
        placeholder="YYYY-MM-DD"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value.trim())}
      />
      <datalist id={id}>
        {DATE_FORMATS.map((format) => (
          <option key={format} value={format} />
        ))}
      </datalist>
    </>
  )
}
