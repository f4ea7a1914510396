import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ConfigError, effectiveSettings, readConfig } from './config.ts'
import { Secret } from './secret.ts'

describe('the configuration', () => {
  it('uses the defaults for settings that are not set', () => {
    const config = readConfig({})
    expect(config).toMatchObject({
      OQS_HOST: '127.0.0.1',
      OQS_PORT: 8080,
      OQS_STORE: 'sqlite:data/oqs.db',
      OQS_DEMO: false,
      OQS_PAGE_TOKEN_TTL_SECONDS: 300,
      OQS_SNAPSHOT_MAX_AGE_SECONDS: 3600,
      OQS_PAGE_MAX_BYTES: 4_194_304,
      OQS_PAGE_CACHE_BYTES: 33_554_432,
      OQS_LIST_OBJECTS_LIMIT: 10_000,
      OQS_WORKERS: 1,
      OQS_LOG_LEVEL: 'info',
    })
    expect(Object.isFrozen(config)).toBe(true)
  })

  it('prefers the command line to the environment, and treats an empty text as not set', () => {
    expect(readConfig({ OQS_DEMO: 'off' }, { OQS_DEMO: 'on' }).OQS_DEMO).toBe(true)
    expect(readConfig({ OQS_PORT: '' }).OQS_PORT).toBe(8080)
    const [host] = effectiveSettings({ OQS_HOST: 'localhost' })
    expect(host).toEqual({ name: 'OQS_HOST', text: 'localhost', source: 'environment' })
  })

  it('accepts keys of 32 bytes and rejects others without printing them', () => {
    const key = Buffer.alloc(32, 7).toString('base64')
    const keys = readConfig({ OQS_PAGE_TOKEN_KEYS: `${key}, ${key}` }).OQS_PAGE_TOKEN_KEYS
    expect(keys?.reveal()).toHaveLength(2)
    for (const wrong of ['AAAA', `${key},`, 'nonsense!']) {
      expect(() => readConfig({ OQS_PAGE_TOKEN_KEYS: wrong })).toThrow(
        new ConfigError(
          'OQS_PAGE_TOKEN_KEYS is [secret], but must be base64 keys of 32 bytes, separated by commas',
        ),
      )
    }
  })

  it.each([
    ['OQS_PORT', '70000', /a number from 0 to 65535/],
    ['OQS_STORE', 'mysql://x', /sqlite:PATH/],
    ['OQS_LOG_LEVEL', 'loud', /silent, fatal/],
    ['OQS_DEMO', 'yes', /on or off/],
    ['OQS_PAGE_TOKEN_TTL_SECONDS', '0', /from 1/],
    ['OQS_LIST_OBJECTS_LIMIT', '-1', /none/],
  ])('rejects %s=%s in one line that says what is allowed', (name, value, allowed) => {
    expect(() => readConfig({ [name]: value })).toThrow(allowed)
    expect(() => readConfig({ [name]: value })).toThrow(/^[^\n]+$/)
  })

  it.each([
    ['OQS_PORT', '-1'],
    ['OQS_PORT', '1.5'],
    ['OQS_PORT', '0x50'],
    ['OQS_HOST', 'a b'],
    ['OQS_PAGE_MAX_BYTES', '1'],
    ['OQS_PAGE_CACHE_BYTES', '-1'],
    ['OQS_STORE', 'sqlite:'],
    ['OQS_LIST_OBJECTS_LIMIT', '0'],
    ['OQS_DEMO', 'constructor'],
    ['OQS_WORKERS', '0'],
    ['OQS_WORKERS', '257'],
    ['OQS_WORKERS', 'Auto'],
  ])('rejects %s=%s and names the setting', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name} is ${JSON.stringify(value)}, but`)
  })
})

describe('a secret', () => {
  it('is printed as [secret] in strings, in JSON and by inspect', () => {
    const secret = new Secret('hunter2')
    expect(`${secret} ${JSON.stringify({ secret })} ${inspect({ secret })}`).not.toContain(
      'hunter2',
    )
    expect(secret.reveal()).toBe('hunter2')
  })
})
