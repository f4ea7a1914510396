import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import type { App } from '../app.ts'
import { guardWrites } from './guard-writes.ts'

describe('an endpoint that is not a GET', () => {
  const open = () => {
    const app = fastify() as unknown as App
    guardWrites(app)
    return app
  }

  it('cannot be added without saying what it writes', () => {
    const app = open()
    expect(() => app.post('/things', async () => ({}))).toThrow(
      'POST /things does not declare what it writes',
    )
    app.get('/things', async () => ({}))
    app.post('/search', { config: { writes: 'nothing' } }, async () => ({}))
  })
})
