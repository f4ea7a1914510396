import type { FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'

/** Waits until the caller changes no other definition. The body is not read before that. */
export async function awaitChange(
  { context }: FastifyRequest,
  { admission }: Services,
): Promise<void> {
  const readBody = context.holdBody()
  await admission.awaitChange(context)
  readBody()
}
