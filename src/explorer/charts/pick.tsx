import { type Options, optionsOf } from '../ui/fields.tsx'

interface PickProps {
  /** The name for screen readers. */
  readonly label: string
  readonly value: string
  readonly options: Options
  readonly onChange: (value: string) => void
}

/** A part of the sentence. */
export function Pick({ label, value, options, onChange }: PickProps) {
  return (
    <select
      className="max-w-60 h-8 px-1.5 border border-transparent border-b-edge rounded-md rounded-b-none bg-transparent text-lg font-semibold cursor-pointer [field-sizing:content] hover:bg-raised"
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {optionsOf(options)}
    </select>
  )
}
