import { describe, expect, it } from 'vitest'
import { isStoreName, withoutPassword } from './store-name.ts'

describe('a store name', () => {
  it.each([
    'sqlite:data/oqs.db',
    'postgres://localhost/oqs',
    'postgresql://user:secret@db.example:5432/oqs?sslmode=require',
    'postgres:///oqs?host=/var/run/postgresql',
    'postgres://user:s%40c%2Fret@db.example/oqs?application_name=a@b',
    'postgres://user:s%40cret@%2Fvar%2Frun%2Fpostgresql/oqs',
    'postgres://db.example/oqs?user=u@example',
  ])('names a SQLite file or a PostgreSQL database: %s', (name) => {
    expect(isStoreName(name)).toBe(true)
  })

  it.each([
    '',
    'sqlite:',
    'data/oqs.db',
    'postgres:',
    'postgres://',
    'mysql://localhost/oqs',
    'postgres:/user:secret@db.example/oqs',
  ])('is invalid otherwise: %j', (name) => {
    expect(isStoreName(name)).toBe(false)
  })

  it.each([
    'postgres://user:s@cret@db.example/oqs',
    'postgres://user:p@ss/word@db.example/oqs',
    'postgres://user:12/word@db.example/oqs',
    'postgres://user:12?word@db.example/oqs',
    'postgres://user:12#word@db.example/oqs?sslmode=verify-full',
  ])('is invalid if its password has unescaped delimiters: %s', (name) => {
    expect(isStoreName(name)).toBe(false)
  })

  it.each([
    ['sqlite:a@b:c', 'sqlite:a@b:c'],
    ['postgres://db.example/oqs', 'postgres://db.example/oqs'],
    ['postgres://user@db.example:5432/oqs', 'postgres://user@db.example:5432/oqs'],
    ['postgres://user:s3cret@db.example/oqs', 'postgres://user:***@db.example/oqs'],
    ['postgresql://user:s@cr:et@db.example/oqs', 'postgresql://user:***@db.example/oqs'],
    ['postgresql://user:s/cr?et@db.example/oqs', 'postgresql://user:***@db.example/oqs'],
    ['postgres:/user:s3cret@db.example/oqs', 'postgres:/user:***@db.example/oqs'],
    ['postgres:user:s3cret@db.example/oqs', 'postgres:user:***@db.example/oqs'],
    ['postgres//user:s3cret@db.example/oqs', 'postgres//user:***@db.example/oqs'],
    ['postgres:s3cret@db.example/oqs', 'postgres:***@db.example/oqs'],
    ['user:s3cret@db.example/oqs', 'user:***@db.example/oqs'],
    ['Postgres:///user:s3cret@db.example/oqs', 'Postgres:///user:***@db.example/oqs'],
    ['postgres:///oqs?user=u&password=s3cret&x=1', 'postgres:///oqs?user=u&password=***&x=1'],
  ])('is printed without its password: %s', (name, masked) => {
    expect(withoutPassword(name)).toBe(masked)
  })
})
