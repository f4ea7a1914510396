export interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly options: readonly Value[]
  readonly nameOf: (value: Value) => string
  readonly titleOf?: (value: Value) => string
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A choice between a few values that are all visible. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, options, nameOf, titleOf, value, onChange } = props
  return (
    <fieldset className="flex m-0 p-0 border border-edge rounded-md overflow-hidden">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option}
          type="button"
          className={`h-7 px-2.5 border-0 bg-transparent text-sm cursor-pointer ${option === 'snapshot' ? 'aria-pressed:bg-snapshot-bg aria-pressed:text-snapshot' : 'aria-pressed:bg-accent-bg aria-pressed:text-accent'}`}
          data-value={option}
          aria-pressed={option === value}
          title={titleOf?.(option)}
          onClick={() => onChange(option)}
        >
          {nameOf(option)}
        </button>
      ))}
    </fieldset>
  )
}
