import { expect, it } from 'vitest'
import { openLogSink } from './log-sink.ts'

it('writes the lines of one turn of the event loop together, in order, each once', async () => {
  const written: string[] = []
  const sink = openLogSink((text) => written.push(text))
  sink.write('one\n')
  sink.write('two\n')
  expect(written).toEqual([])
  await new Promise(setImmediate)
  sink.write('three\n')
  sink.flush()
  sink.flush()
  await new Promise(setImmediate)
  expect(written).toEqual(['one\ntwo\n', 'three\n'])
})
