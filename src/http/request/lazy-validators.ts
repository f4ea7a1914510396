/**
 * Validates requests with the schemas of their endpoints, without coercing or removing anything.
 * A schema is compiled for the first request that needs it: all of them together delay the start.
 */
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { SchemaCompilers } from '../app.ts'
import { textValidator } from './text-validator.ts'

// Its type is that of a factory that gets a bare schema, but Fastify passes the part of the request
// with it.
export const buildLazyValidators = compileLazily as unknown as SchemaCompilers['buildValidator']

function compileLazily(shared: Readonly<Record<string, AnySchema>>): FastifySchemaCompiler<object> {
  const ajv = new Ajv({
    strict: false,
    strictNumbers: true,
    verbose: true,
    // These two take longer than the rest of the compilation. The schemas are constants, which the
    // tests compile, and V8 removes unused variables as well.
    validateSchema: false,
    code: { optimize: false },
  })
  ajv.addSchema(Object.values(shared))
  return ({ schema, httpPart }) => {
    const validate = lazyValidator(ajv, schema)
    return httpPart === 'body' ? validate : textValidator(schema, validate)
  }
}

function lazyValidator(ajv: Ajv, schema: object): ValidateFunction {
  let compiled: ValidateFunction | undefined
  const validateLazily = (value: unknown) => {
    compiled ??= ajv.compile(schema)
    const isValid = compiled(value)
    validateLazily.errors = compiled.errors
    return isValid
  }
  validateLazily.errors = undefined as ValidateFunction['errors']
  return validateLazily as unknown as ValidateFunction
}
