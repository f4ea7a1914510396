import { expect, it } from 'vitest'
import { numberParameters, PreparedStatements } from './session.ts'

it('numbers parameters in the order of the text', () => {
  expect(numberParameters('SELECT ?::text WHERE a = ? AND b = ANY(?)')).toBe(
    'SELECT $1::text WHERE a = $2 AND b = ANY($3)',
  )
})

it('gives each statement one name, up to a limit per connection', () => {
  const statements = new PreparedStatements()
  const names = Array.from({ length: 500 }, (_, n) => statements.findOrAdd(`SELECT ${n}`)?.name)
  expect(new Set(names).size).toBe(500)
  expect(statements.findOrAdd('SELECT 7')?.name).toBe(names[7])
  expect(statements.findOrAdd('SELECT 500')).toBeUndefined()
  expect(statements.findOrAdd('SELECT 499')).toEqual({ name: names[499], text: 'SELECT 499' })
})
