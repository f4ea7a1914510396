/**
 * Validates paths and query strings, which are text, against schemas with integers and booleans.
 * Text with the form of one is converted; the schema rejects any other text.
 */
import type { ValidateFunction } from 'ajv'

const CONVERTERS: Readonly<Record<string, (text: string) => unknown>> = {
  // Finite however many digits there are, so that a huge page size is reduced like any large one.
  integer: (text) =>
    /^-?\d+(?:e\+?\d+)?$/i.test(text) ? Math.min(Number(text), Number.MAX_VALUE) : text,
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
}

export function textValidator(schema: object, validate: ValidateFunction): ValidateFunction {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const converters = Object.entries(properties).flatMap(([name, { type = '' }]) => {
    const convert = CONVERTERS[type]
    return convert === undefined ? [] : [{ name, convert }]
  })
  const validateText = (values: Record<string, unknown>) => {
    for (const { name, convert } of converters) {
      const text = values[name]
      if (typeof text === 'string') values[name] = convert(text)
    }
    const isValid = validate(values)
    validateText.errors = validate.errors
    return isValid
  }
  validateText.errors = validate.errors
  return validateText as unknown as ValidateFunction
}
