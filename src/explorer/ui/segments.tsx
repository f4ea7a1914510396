import styles from './segments.module.css'

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
    <fieldset className={styles.segments}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option}
          type="button"
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
