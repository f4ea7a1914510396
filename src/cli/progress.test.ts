import { describe, expect, it } from 'vitest'
import { formatCount } from '../contract/count-of.ts'
import { formatBytes, formatDuration, startProgress } from './progress.ts'

function start(isTerminal: boolean, totalBytes?: number) {
  const clock = { now: 1000 }
  const written: string[] = []
  const progress = startProgress({
    label: 'importing a.csv',
    totalBytes,
    isTerminal,
    width: 200,
    write: (text) => written.push(text),
    now: () => clock.now,
  })
  return { clock, written, progress }
}

describe('progress on a terminal', () => {
  it('redraws a bar and removes it at the end', () => {
    const { clock, written, progress } = start(true, 4_000_000)
    progress.update({ objects: 1, bytes: 1 })
    expect(written).toEqual([])
    clock.now += 2000
    progress.update({ objects: 50_000, bytes: 1_000_000 })
    progress.update({ objects: 50_001, bytes: 1_000_001 })
    expect(written).toEqual([
      '\r\u001b[Kimporting a.csv: [###---------] 25 %, 0:06 left, 50,000 objects, 25,000/s, 1.0 MB of 4.0 MB',
    ])
    progress.end()
    progress.end()
    expect(written.slice(1)).toEqual(['\r\u001b[K'])
  })

  it('draws no bar if the total is unknown', () => {
    const { clock, written, progress } = start(true)
    clock.now += 500
    progress.update({ objects: 10, bytes: 999 })
    expect(written).toEqual(['\r\u001b[Kimporting a.csv: 10 objects, 20/s, 999 bytes'])
  })

  it('counts bytes if there are no objects to count', () => {
    const { clock, written, progress } = start(true, 4_000_000)
    clock.now += 2000
    progress.update({ bytes: 1_000_000 })
    expect(written).toEqual([
      '\r\u001b[Kimporting a.csv: [###---------] 25 %, 0:06 left, 1.0 MB of 4.0 MB, 500.0 kB/s',
    ])
  })

  it('shows what is written, and that the time left is a lower bound', () => {
    const { clock, written, progress } = start(true, 4_000_000)
    clock.now += 2000
    progress.update({ objects: 50_000, written: 45_000, bytes: 1_000_000, isLowerBound: true })
    expect(written).toEqual([
      '\r\u001b[Kimporting a.csv: [###---------] 25 %, at least 0:06 left, 50,000 objects read, 45,000 written, 25,000/s, 1.0 MB of 4.0 MB',
    ])
  })

  it('cuts the line to the width of the terminal', () => {
    const written: string[] = []
    let now = 0
    const write = (text: string) => written.push(text)
    const progress = startProgress({
      label: 'x'.repeat(90),
      isTerminal: true,
      write,
      now: () => now,
    })
    now = 1000
    progress.update({ objects: 1, bytes: 1 })
    expect(written[0]?.replace('\r\u001b[K', '')).toHaveLength(79)
  })
})

describe('progress without a terminal', () => {
  it('writes a plain line every few seconds', () => {
    const { clock, written, progress } = start(false, 1000)
    for (let second = 1; second <= 12; second += 1) {
      clock.now += 1000
      progress.update({ objects: second, bytes: second * 10 })
    }
    progress.end()
    expect(written).toEqual([
      'importing a.csv: 5 %, 1:35 left, 5 objects, 1/s, 50 bytes of 1.0 kB\n',
      'importing a.csv: 10 %, 1:30 left, 10 objects, 1/s, 100 bytes of 1.0 kB\n',
    ])
  })
})

describe('progress of a known number of objects', () => {
  it('ends with 100 %', () => {
    const written: string[] = []
    let now = 0
    const progress = startProgress({
      label: 'loading',
      totalObjects: 10,
      isTerminal: false,
      write: (text) => written.push(text),
      now: () => now,
    })
    now = 6000
    progress.update({ objects: 6, bytes: 0 })
    now = 6100
    progress.update({ objects: 9, bytes: 0 })
    progress.update({ objects: 10, bytes: 0 })
    expect(written.map((line) => /\d+ %/.exec(line)?.[0])).toEqual(['60 %', '100 %'])
  })
})

describe('numbers', () => {
  it('are formatted with units and separators', () => {
    expect([0, 999, 1000, 12_345_678, 3.2e9].map(formatBytes)).toEqual([
      '0 bytes',
      '999 bytes',
      '1.0 kB',
      '12.3 MB',
      '3.2 GB',
    ])
    expect([0, 61_000, 3_723_000].map(formatDuration)).toEqual(['0:00', '1:01', '1:02:03'])
    expect(formatCount(1_234_567)).toBe('1,234,567')
  })
})
