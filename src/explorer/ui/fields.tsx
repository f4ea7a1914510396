/** The controls of forms, each with its label. */

import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import styles from './controls.module.css'

/** The layout of a form in a popup. */
export const FORM = 'grid gap-1.5 w-65 [&_fieldset]:justify-self-start'

interface FieldProps {
  readonly label: string
  readonly onChange: (value: string) => void
  /** What is wrong with the value. */
  readonly error?: string | undefined
}

type Props<Attributes> = FieldProps & Omit<Attributes, 'onChange' | 'id'>

/** Returns the attributes of a control, by which it belongs to its label and its error. */
function controlProps(id: string, { onChange, error }: FieldProps) {
  return {
    id,
    className: styles.input,
    'aria-invalid': error !== undefined,
    'aria-describedby': error === undefined ? undefined : `${id}-error`,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange(target.value),
  }
}

export function TextField(props: Props<InputHTMLAttributes<HTMLInputElement>>) {
  const { label, onChange: _, error, ...rest } = props
  const id = useId()
  return (
    <Field id={id} label={label} error={error}>
      <input {...controlProps(id, props)} {...rest} />
    </Field>
  )
}

export function TextArea(props: Props<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const { label, onChange: _, error, ...rest } = props
  const id = useId()
  const { className, ...control } = controlProps(id, props)
  return (
    <Field id={id} label={label} error={error}>
      <textarea className={`${className} mono`} spellCheck={false} {...control} {...rest} />
    </Field>
  )
}

export interface SelectFieldProps extends FieldProps {
  readonly value: string
  /** Values with their texts. */
  readonly options: readonly (readonly [value: string, text: string])[]
}

export function SelectField(props: SelectFieldProps) {
  const { label, value, options, error } = props
  const id = useId()
  return (
    <Field id={id} label={label} error={error}>
      <select value={value} {...controlProps(id, props)}>
        <Options options={options} />
      </select>
    </Field>
  )
}

function Options({ options }: Pick<SelectFieldProps, 'options'>) {
  return options.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ))
}

interface LabelledProps {
  readonly id: string
  readonly label: string
  readonly error: string | undefined
  readonly children: ReactNode
}

function Field({ id, label, error, children }: LabelledProps) {
  return (
    <div className={styles.field}>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </div>
  )
}

export interface CheckFieldProps {
  readonly label: ReactNode
  /** Stands after the label, less prominent. */
  readonly hint?: string | undefined
  readonly isOn: boolean
  readonly isFixed?: boolean
  readonly onChange: (isOn: boolean) => void
}

export function CheckField({ label, hint, isOn, isFixed = false, onChange }: CheckFieldProps) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={isOn}
        disabled={isFixed}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>{label}</span>
      {hint !== undefined && <span className="label">{hint}</span>}
    </label>
  )
}

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
