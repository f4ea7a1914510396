import { describe, expect, it } from 'vitest'
import { misspeltSettings } from './misspelt-settings.ts'
import { SETTING_NAMES } from './settings.ts'

describe('an environment variable that is not a setting', () => {
  it.each([
    ['OQS_WROKERS', 'OQS_WORKERS'],
    ['OQS_WORKER', 'OQS_WORKERS'],
    ['OQS_PROT', 'OQS_PORT'],
    ['OQS_HOSTS', 'OQS_HOST'],
    ['OQS_LOGLEVEL', 'OQS_LOG_LEVEL'],
    ['OQS_PAGE_TOKEN_KEY', 'OQS_PAGE_TOKEN_KEYS'],
    ['OQS_PAGE_CACHE', 'OQS_PAGE_CACHE_BYTES'],
    ['OQS_PAGE_TOKEN_TTL_SECOND', 'OQS_PAGE_TOKEN_TTL_SECONDS'],
  ])('is reported with the closest setting: %s', (name, meant) => {
    expect(misspeltSettings({ PATH: '/bin', [name]: '2' })).toEqual([{ name, meant }])
  })

  it('is not reported if no setting is close to it', () => {
    const others = [
      ...SETTING_NAMES,
      'OQS_PORT_8080_TCP',
      'OQS_PORT_8080_TCP_ADDR',
      'OQS_SERVICE_HOST',
      'OQS_SERVICE_PORT',
      'OQS_TEST_POSTGRES',
      'OQS_TEST_KILLS',
      'OQS_BENCH',
      'OQS_PAGE',
      'PORT',
    ]
    expect(misspeltSettings(Object.fromEntries(others.map((name) => [name, '1'])))).toEqual([])
  })
})
