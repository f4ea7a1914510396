import { describe, expect, it } from 'vitest'
import { keyOf } from './export-objects.ts'

describe('the key after which an export resumes', () => {
  const header = Buffer.from('name,"i,d"\n')

  it('is that of the last object', () => {
    expect(keyOf(Buffer.from('{"id":7,"name":"a"}\n'), { format: 'ndjson' }, 'id', undefined)).toBe(
      '7',
    )
    expect(keyOf(Buffer.from('"a\n""b",7\r\n'), { format: 'csv' }, 'i,d', header)).toBe('7')
  })

  it('is the text that an apostrophe keeps from being a formula', () => {
    const row = Buffer.from("'+a,1\n")
    const request = { format: 'csv', escapeFormulas: true } as const
    expect(keyOf(row, request, 'id', Buffer.from('id,n\n'))).toBe('+a')
  })

  it.each([
    ['ndjson', '{"name":"a"}\n'],
    ['ndjson', '{"id":null}\n'],
    ['ndjson', '{"id":7'],
    ['csv', 'a,7\n'],
  ] as const)('is required: %s %j', (format, record) => {
    expect(() => keyOf(Buffer.from(record), { format }, 'id', header)).toThrow(
      'cannot resume: the last object of the export has no id',
    )
  })
})
