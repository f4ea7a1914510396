import { Type } from 'typebox'
import type { App } from '../app.ts'
import {
  CommitResponse,
  NoParameters,
  ReplacementName,
  responses,
  TypePath,
} from '../openapi/schemas.ts'
import { resolveTypePath } from '../request/resolve.ts'
import type { Services } from '../services.ts'

/**
 * Replacing all objects of a type at one moment: start, add batches, publish. Readers see what was
 * there before until it is published, and nothing of that after.
 */

const PATH = '/api/admin/v1/ontologies/:ontology/objects/:objectType/replacements'
const config = { scope: 'api:ontologies-write' } as const
const common = { tags: ['Administration'], querystring: NoParameters }

const ReplacementPath = Type.Object({
  ...TypePath.properties,
  replacement: ReplacementName,
})

export function addReplacementsAdmin(app: App, services: Services): void {
  const { store } = services

  app.post(
    PATH,
    {
      config,
      schema: {
        ...common,
        operationId: 'startReplacement',
        summary: 'Start to replace all objects of a type',
        description:
          'Batches that name the replacement (`writeObjects`) are kept apart until it is published. An idle replacement expires after the snapshot lifetime, but not before an hour.',
        params: TypePath,
        response: responses(Type.Object({ replacement: Type.String() })),
      },
    },
    async ({ catalogue, caller, context, params }) => {
      const { objectType } = resolveTypePath({ catalogue, caller }, params)
      return { replacement: await store.startReplacement(objectType, context) }
    },
  )

  app.post(
    `${PATH}/:replacement/publish`,
    {
      config,
      schema: {
        ...common,
        operationId: 'publishReplacement',
        summary: 'Let readers see a replacement instead of what the type held',
        description:
          'One commit: `put` counts the new objects, `deleted` all that were there before. Changes made meanwhile to what is replaced go with it.',
        params: ReplacementPath,
        response: responses(CommitResponse),
      },
    },
    async ({ catalogue, caller, context, params }) => {
      const { objectType } = resolveTypePath({ catalogue, caller }, params)
      const { version, put, deleted } = await store.publishReplacement(
        objectType,
        params.replacement,
        context,
      )
      return { version, put, deleted }
    },
  )

  app.delete(
    `${PATH}/:replacement`,
    {
      config,
      schema: {
        ...common,
        operationId: 'abandonReplacement',
        summary: 'Give up a replacement',
        params: ReplacementPath,
        response: responses(Type.Object({ replacement: Type.String() })),
      },
    },
    async ({ catalogue, caller, params }) => {
      const { objectType } = resolveTypePath({ catalogue, caller }, params)
      await store.abandonReplacement(objectType, params.replacement)
      return { replacement: params.replacement }
    },
  )
}
