import { ObjectQueryError } from '../../contract/errors.ts'

const MAX_ATTEMPTS = 10
const OUT_OF_SYNC = 'OntologyDefinitionOutOfSync'

/**
 * Plans again if another definition was saved in the meantime. A request states its goal
 * completely, so a plan based on the new state is as good as the first one.
 */
export async function retryOutOfSync<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (error) {
      const isOutOfSync = error instanceof ObjectQueryError && error.errorName === OUT_OF_SYNC
      if (!isOutOfSync || attempts === MAX_ATTEMPTS) throw error
    }
  }
}
