import { describe, expect, it } from 'vitest'
import { redirectUriMistake } from './redirect-uri.ts'

describe('a redirect URI', () => {
  it.each([
    'https://app.example.com/callback',
    'https://app.example.com:8443/callback?kept=1',
    'http://localhost:3000/callback',
    'http://127.0.0.1/',
    'http://[::1]:9/x',
    'com.example.app:/callback',
    'com.example.app://callback',
  ])('may be %s', (uri) => {
    expect(redirectUriMistake(uri)).toBeUndefined()
  })

  it.each([
    ['/callback', /not a URL/],
    ['http://app.example.com/callback', /this machine only/],
    ['http://localhost.example.com/callback', /this machine only/],
    ['https://app.example.com/#x', /fragment/],
    ['https://app.example.com/#', /fragment/],
    ['https://user@app.example.com/', /user name/],
    ['https://:secret@app.example.com/', /user name/],
    ['javascript:alert(1)', /scheme/],
    ['data:text/html,x', /scheme/],
    ['file:///etc/passwd', /scheme/],
    ['myapp://callback', /scheme/],
    ['https://app.example.com/a b', /must be written as https:\/\/app\.example\.com\/a%20b/],
  ])('is refused as %s', (uri, reason) => {
    expect(redirectUriMistake(uri)).toMatch(reason)
  })
})
