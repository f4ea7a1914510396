import { expect, it } from 'vitest'
import { isShown } from './log.ts'
import { LOG_LEVELS } from './settings.ts'

it('shows requests from the level info on, and failures from error on', () => {
  const shownAt = (event: Parameters<typeof isShown>[0]) =>
    LOG_LEVELS.filter((level) => isShown(event, level))
  expect(shownAt('requestFinished')).toEqual(['info', 'debug', 'trace'])
  expect(shownAt('requestFailed')).toEqual(['error', 'warn', 'info', 'debug', 'trace'])
})
