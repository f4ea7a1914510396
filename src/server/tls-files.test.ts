import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TempFolder, tempFolder } from '../../test/support/temp-folder.ts'
import { readTlsFiles } from './tls-files.ts'

const path = (name: string) =>
  fileURLToPath(new URL(`../../test/support/tls/${name}.pem`, import.meta.url))
const CERT = path('first-cert')
const KEY = path('first-key')
const NOW_MS = Date.parse('2030-01-01')

describe('the files of TLS', () => {
  let folder: TempFolder
  let text: string
  beforeAll(() => {
    folder = tempFolder()
    text = join(folder.path, 'text.pem')
    writeFileSync(text, 'not PEM')
  })
  afterAll(() => folder[Symbol.dispose]())

  const read = (cert: string | undefined, key: string | undefined, nowMs = NOW_MS) =>
    readTlsFiles({ OQS_TLS_CERT: cert, OQS_TLS_KEY: key }, nowMs)

  it('are read if both are set', () => {
    expect(read(CERT, KEY)?.cert.toString()).toContain('BEGIN CERTIFICATE')
    expect(read(undefined, undefined)).toBeUndefined()
  })

  it.each([
    ['the key is missing', () => read(CERT, undefined), /^OQS_TLS_CERT is set, but OQS_TLS_KEY is/],
    ['the certificate is missing', () => read(undefined, KEY), /^OQS_TLS_KEY is set, but OQS_TLS_/],
    [
      'a file does not exist',
      () => read(`${CERT}x`, KEY),
      /^OQS_TLS_CERT is ".*x", which cannot be/,
    ],
    [
      'the certificate is none',
      () => read(text, KEY),
      /^OQS_TLS_CERT is ".*", which is not a cert/,
    ],
    ['the key is none', () => read(CERT, text), /^OQS_TLS_KEY is ".*", which is not a private key/],
    [
      'they are swapped',
      () => read(KEY, CERT),
      /^OQS_TLS_CERT is ".*", which is not a certificate/,
    ],
    ['they do not match', () => read(CERT, path('second-key')), /which is not the key of the cert/],
    ['it has expired', () => read(CERT, KEY, Date.parse('2300-01-01')), /which expired at 21\d\d-/],
    ['it is not yet valid', () => read(CERT, KEY, 0), /which is not valid before 20\d\d-/],
  ])('are refused if %s', (_name, attempt, message) => {
    expect(attempt).toThrow(message)
  })
})
