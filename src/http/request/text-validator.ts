import type { ValidateFunction } from 'ajv'

/**
 * Paths and query strings are text, but their schemas speak of integers and booleans. What is
 * written as one is read as one; everything else stays text, and the schema refuses it.
 */

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
}

export function textValidator(schema: object, validate: ValidateFunction): ValidateFunction {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const readers = Object.entries(properties).flatMap(([name, { type = '' }]) => {
    const read = READERS[type]
    return read === undefined ? [] : [{ name, read }]
  })
  const validateText = (values: Record<string, unknown>) => {
    for (const { name, read } of readers) {
      const text = values[name]
      if (typeof text === 'string') values[name] = read(text)
    }
    const valid = validate(values)
    validateText.errors = validate.errors
    return valid
  }
  validateText.errors = validate.errors
  return validateText as unknown as ValidateFunction
}
