import { BlockList } from 'node:net'
import { describe, expect, it } from 'vitest'
import { clientAddress } from './client-address.ts'

const proxies = new BlockList()
proxies.addSubnet('10.0.0.0', 8)
proxies.addAddress('fd00::1', 'ipv6')

describe('the address of a client', () => {
  it.each([
    [
      'of a connection is used without trusted proxies',
      '10.0.0.1',
      '1.2.3.4',
      undefined,
      '10.0.0.1',
    ],
    ['is not taken from a stranger', '9.9.9.9', '1.2.3.4', proxies, '9.9.9.9'],
    ['is taken from a trusted proxy', '10.0.0.1', '1.2.3.4', proxies, '1.2.3.4'],
    [
      'is the last one that is not a proxy',
      '10.0.0.1',
      '6.6.6.6, 1.2.3.4, 10.0.0.2',
      proxies,
      '1.2.3.4',
    ],
    [
      'is the first proxy if all are trusted',
      '10.0.0.1',
      '10.0.0.3, 10.0.0.2',
      proxies,
      '10.0.0.3',
    ],
    ['ends at an entry that is not an address', '10.0.0.1', '1.2.3.4, secret', proxies, '10.0.0.1'],
    ['may be missing', '10.0.0.1', undefined, proxies, '10.0.0.1'],
    ['may be of IPv6', 'fd00::1', '2001:db8::7', proxies, '2001:db8::7'],
    ['loses the prefix of IPv6', '::ffff:10.0.0.1', '::ffff:1.2.3.4', proxies, '1.2.3.4'],
  ])('%s', (_, ip, forwarded, trusted, expected) => {
    expect(clientAddress({ ip, headers: { 'x-forwarded-for': forwarded } }, trusted)).toBe(expected)
  })
})
