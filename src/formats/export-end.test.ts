import { describe, expect, it } from 'vitest'
import { LINE_FORMATS } from '../contract/export-formats.ts'
import { exportEndLine, exportFailureLine, readExportEnd } from './export-end.ts'

describe.each(LINE_FORMATS)('the end of an export of %s', (format) => {
  it.each(['', '\n', '\r\n'])('is parsed as it was written, before %j', (lineEnd) => {
    const end = exportEndLine(format, 3, 7) + lineEnd
    expect(readExportEnd(format, end)).toEqual({ kind: 'complete', count: 3, version: '7' })
    const failure = exportFailureLine(format, '{"errorName":"Internal"}') + lineEnd
    const error = { errorName: 'Internal' }
    expect(readExportEnd(format, failure)).toEqual({ kind: 'failed', error })
  })

  it('is a failure even if its line is truncated', () => {
    const failure = exportFailureLine(format, '{"errorName":"Internal"}')
    expect(readExportEnd(format, failure.slice(0, 20))?.kind).toBe('failed')
  })

  it('is not any other line', () => {
    const end = exportEndLine(format, 3, 7)
    for (const line of ['', ' ', '{}', '#', `x${end}`, `${end}x`, end.replace('3', 'three')]) {
      expect(readExportEnd(format, line)).toBeUndefined()
    }
  })
})
