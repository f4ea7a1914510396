import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { toCurl } from '../../src/explorer/request/request-text.ts'

it('quotes a command so that a shell reads it back', () => {
  const body = { where: { type: 'eq', field: 'name', value: `it's "quoted" $HOME \`x\` \\ ü` } }
  const command = toCurl({ method: 'POST', path: '/api/x?a=1&b=%27', json: body }, 'http://h:1')
  const shell = command.replace(/^curl/, 'printf "%s\\0"')
  const shown = execFileSync('sh', ['-c', shell], { env: { OQS_TOKEN: 't' } })
  expect(shown.toString().split('\0')).toEqual([
    '-X',
    'POST',
    'http://h:1/api/x?a=1&b=%27',
    '-H',
    'Authorization: Bearer t',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(body),
    '',
  ])
})
