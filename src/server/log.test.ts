import { expect, it } from 'vitest'
import { isLogged } from './log.ts'
import { LOG_LEVELS } from './settings.ts'

it('logs requests from level info up, and failures from level error up', () => {
  const levelsOf = (event: Parameters<typeof isLogged>[0]) =>
    LOG_LEVELS.filter((level) => isLogged(event, level))
  expect(levelsOf('requestFinished')).toEqual(['info', 'debug', 'trace'])
  expect(levelsOf('requestFailed')).toEqual(['error', 'warn', 'info', 'debug', 'trace'])
})
