export interface MissingFieldProps {
  /** The texts that usually stand for a missing value. */
  readonly nulls: readonly string[]
  readonly keepsNulls: boolean
  readonly onChange: (keepsNulls: boolean) => void
}

/** Asks whether texts such as `NA` are missing values; nothing if a column has none. */
export function MissingField({ nulls, keepsNulls, onChange }: MissingFieldProps) {
  if (nulls.length === 0) return null
  return (
    <label className="flex items-center gap-1.5 text-sm font-normal">
      <input
        type="checkbox"
        checked={!keepsNulls}
        onChange={({ target }) => onChange(!target.checked)}
      />
      {nulls.map((text) => `“${text}”`).join(', ')} {nulls.length === 1 ? 'is' : 'are'} missing
    </label>
  )
}
