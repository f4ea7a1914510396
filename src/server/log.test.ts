import { expect, it } from 'vitest'
import { isLogged, openLogSink } from './log.ts'
import { LOG_LEVELS } from './settings.ts'

it('logs requests from level info up, and failures from level error up', () => {
  const levelsOf = (event: Parameters<typeof isLogged>[0]) =>
    LOG_LEVELS.filter((level) => isLogged(event, level))
  expect(levelsOf('requestFinished')).toEqual(['info', 'debug', 'trace'])
  expect(levelsOf('requestFailed')).toEqual(['error', 'warn', 'info', 'debug', 'trace'])
})

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
