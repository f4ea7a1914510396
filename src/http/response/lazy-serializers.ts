/**
 * Builds the serializer of a response schema when the first response needs it. Building all of them
 * would take more than half of the start of the service.
 */
import { createRequire } from 'node:module'
import type { SchemaCompilers } from '../app.ts'

type SerializerFactory = SchemaCompilers['buildSerializer']

export const buildLazySerializers: SerializerFactory = (schemas, options) => {
  let compile: ReturnType<SerializerFactory> | undefined
  return (route) => {
    let serialize: ((data: unknown) => string) | undefined
    return (data) => {
      compile ??= loadFactory()(schemas, options)
      serialize ??= compile(route)
      return serialize(data)
    }
  }
}

/** Loads the compiler that Fastify uses by default, in the version that Fastify depends on. */
function loadFactory(): SerializerFactory {
  return createRequire(createRequire(import.meta.url).resolve('fastify'))(
    '@fastify/fast-json-stringify-compiler',
  )()
}
