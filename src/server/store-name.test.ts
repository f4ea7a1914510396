import { describe, expect, it } from 'vitest'
import { isStoreName, withoutPassword } from './store-name.ts'

describe('the name of a store', () => {
  it.each([
    'sqlite:data/oqs.db',
    'postgres://localhost/oqs',
    'postgresql://user:secret@db.example:5432/oqs?sslmode=require',
    'postgres:///oqs?host=/var/run/postgresql',
  ])('is a file or a PostgreSQL: %s', (name) => {
    expect(isStoreName(name)).toBe(true)
  })

  it.each(['', 'sqlite:', 'data/oqs.db', 'postgres:', 'postgres://', 'mysql://localhost/oqs'])(
    'is nothing else: %j',
    (name) => {
      expect(isStoreName(name)).toBe(false)
    },
  )

  it.each([
    ['sqlite:a@b:c', 'sqlite:a@b:c'],
    ['postgres://db.example/oqs', 'postgres://db.example/oqs'],
    ['postgres://user@db.example:5432/oqs', 'postgres://user@db.example:5432/oqs'],
    ['postgres://user:s3cret@db.example/oqs', 'postgres://user:***@db.example/oqs'],
    ['postgresql://user:s@cr:et@db.example/oqs', 'postgresql://user:***@db.example/oqs'],
    ['postgres:///oqs?user=u&password=s3cret&x=1', 'postgres:///oqs?user=u&password=***&x=1'],
  ])('is shown without its password: %s', (name, shown) => {
    expect(withoutPassword(name)).toBe(shown)
  })
})
