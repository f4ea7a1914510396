/** The controls of forms, each with its label. */
import {
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type TextareaHTMLAttributes,
  useId,
} from 'react'

/** The layout of a form in a popup. */
export const FORM = 'grid gap-1.5 w-65 [&_fieldset]:justify-self-start'

/** Returns what a form does in place of leaving the page. */
export const submits = (act: () => unknown) => (event: FormEvent) => {
  event.preventDefault()
  void act()
}

const INPUT =
  'w-full min-w-0 min-h-8 border border-edge rounded-md bg-panel [&[readonly]]:bg-raised'

interface FieldProps {
  readonly label: string
  readonly onChange: (value: string) => void
  /** What is wrong with the value. */
  readonly error?: string | undefined
}

/** The attributes by which a control belongs to its label and its error. */
interface Control {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void
}

function Field(props: FieldProps & { readonly children: (control: Control) => ReactNode }) {
  const { label, error, onChange, children } = props
  const id = useId()
  const errorId = `${id}-error`
  return (
    <div className="grid content-start gap-1 min-w-0">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-describedby': error === undefined ? undefined : errorId,
        onChange: ({ target }) => onChange(target.value),
      })}
      {error !== undefined && (
        <p id={errorId} role="alert" className="text-danger text-base leading-5">
          {error}
        </p>
      )}
    </div>
  )
}

type Props<Attributes> = FieldProps & Omit<Attributes, 'onChange' | 'id'>

export function TextField(props: Props<InputHTMLAttributes<HTMLInputElement>>) {
  const { label, onChange, error, className = '', ...rest } = props
  return (
    <Field {...{ label, onChange, error }}>
      {(control) => (
        <input
          className={`${INPUT} py-0 px-2 text-base ${className}`}
          autoComplete="off"
          {...control}
          {...rest}
        />
      )}
    </Field>
  )
}

export function TextArea(props: Props<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const { label, onChange, error, ...rest } = props
  const classes = `${INPUT} py-1.5 px-2 resize-y mono`
  return (
    <Field {...{ label, onChange, error }}>
      {(control) => <textarea className={classes} spellCheck={false} {...control} {...rest} />}
    </Field>
  )
}

/** Values with their texts. */
export type Options = readonly (readonly [value: string, text: string])[]

export interface SelectFieldProps extends FieldProps {
  readonly value: string
  readonly options: Options
}

export function SelectField({ value, options, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <select className={`${INPUT} py-0 px-2 text-base`} value={value} {...control}>
          {optionsOf(options)}
        </select>
      )}
    </Field>
  )
}

interface SelectProps extends Omit<SelectFieldProps, 'error'> {
  readonly className?: string
}

/** A choice without a label on the screen. */
export function Select(props: SelectProps) {
  const { label, value, options, className = '', onChange } = props
  return (
    <select
      className={`px-2 border border-edge rounded-md bg-panel text-base ${className}`}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {optionsOf(options)}
    </select>
  )
}

export function optionsOf(options: Options): ReactNode {
  return options.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ))
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
    <label className="flex flex-wrap items-center gap-y-1 gap-x-2 text-base leading-5">
      <input
        type="checkbox"
        className="m-0 accent-accent"
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
  /** The values with their names. */
  readonly options: Readonly<Record<Value, string>>
  readonly titles?: Readonly<Record<Value, string>>
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A choice between a few values that are all visible. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { label, options, titles, value, onChange } = props
  return (
    <fieldset className="flex w-fit m-0 p-0 border border-edge rounded-md bg-panel overflow-hidden">
      <legend className="sr-only">{label}</legend>
      {(Object.keys(options) as Value[]).map((option) => (
        <button
          key={option}
          type="button"
          className={`h-7 px-2.5 border-0 bg-transparent text-sm cursor-pointer ${option === 'snapshot' ? 'aria-pressed:bg-snapshot-bg aria-pressed:text-snapshot' : 'aria-pressed:bg-accent-bg aria-pressed:text-accent'}`}
          data-value={option}
          aria-pressed={option === value}
          title={titles?.[option]}
          onClick={() => onChange(option)}
        >
          {options[option]}
        </button>
      ))}
    </fieldset>
  )
}
