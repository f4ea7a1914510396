import { describe, expect, it } from 'vitest'
import { keyOf } from './export-objects.ts'

describe('the key after which an export resumes', () => {
  const header = Buffer.from('name,"i,d"\n')

  it('is that of the last object', () => {
    expect(keyOf(Buffer.from('{"id":7,"name":"a"}\n'), 'ndjson', 'id', undefined)).toBe('7')
    expect(keyOf(Buffer.from('"a\n""b",7\r\n'), 'csv', 'i,d', header)).toBe('7')
  })

  it.each([
    ['ndjson', '{"name":"a"}\n'],
    ['ndjson', '{"id":null}\n'],
    ['ndjson', '{"id":7'],
    ['csv', 'a,7\n'],
  ] as const)('is required: %s %j', (format, record) => {
    expect(() => keyOf(Buffer.from(record), format, 'id', header)).toThrow(
      'cannot resume: the last object of the export has no id',
    )
  })
})
