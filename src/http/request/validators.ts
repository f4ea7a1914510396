/**
 * Validates requests with the schemas of their endpoints, without removing anything. A schema is
 * compiled for the first request that needs it: all of them together delay the start.
 */
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

type Validator = ReturnType<FastifySchemaCompiler<object>>

/** Returns the validators of an application, whose schemas may refer to the shared ones. */
export function lazyValidators(
  readShared: () => Record<string, unknown>,
): FastifySchemaCompiler<object> {
  let ajv: Ajv | undefined
  return ({ schema, httpPart }) => {
    const convert = httpPart === 'body' ? undefined : textConverter(schema)
    return lazyValidator(() => {
      ajv ??= createAjv(Object.values(readShared()) as AnySchema[])
      return ajv.compile(schema)
    }, convert)
  }
}

function createAjv(shared: AnySchema[]): Ajv {
  const ajv = new Ajv({
    strict: false,
    strictNumbers: true,
    verbose: true,
    // These two take longer than the rest of the compilation. The schemas are constants, which the
    // tests compile, and V8 removes unused variables as well.
    validateSchema: false,
    code: { optimize: false },
  })
  return ajv.addSchema(shared)
}

function lazyValidator(
  compile: () => ValidateFunction,
  convert: ((values: Record<string, unknown>) => void) | undefined,
): Validator {
  let compiled: ValidateFunction | undefined
  const validate: Validator = (value) => {
    compiled ??= compile()
    convert?.(value)
    const isValid = compiled(value)
    validate.errors = compiled.errors ?? null
    return isValid
  }
  return validate
}

/** How text with the form of a number or boolean is converted; the schema rejects any other text. */
const CONVERTERS: Readonly<Record<string, (text: string) => unknown>> = {
  // Finite however many digits there are, so that a huge page size is reduced like any large one.
  integer: (text) =>
    /^-?\d+(?:e\+?\d+)?$/i.test(text) ? Math.min(Number(text), Number.MAX_VALUE) : text,
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
}

/** Paths and query strings are text, but their schemas have integers and booleans. */
function textConverter(schema: object): (values: Record<string, unknown>) => void {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const converters = Object.entries(properties).flatMap(([name, { type = '' }]) => {
    const convert = CONVERTERS[type]
    return convert === undefined ? [] : [{ name, convert }]
  })
  return (values) => {
    for (const { name, convert } of converters) {
      const text = values[name]
      if (typeof text === 'string') values[name] = convert(text)
    }
  }
}
