import { useId } from 'react'
import styles from './load.module.css'

export interface SelectFieldProps {
  readonly label: string
  readonly value: string
  /** Values with their texts. */
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChange: (value: string) => void
}

export function SelectField({ label, value, options, onChange }: SelectFieldProps) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
