import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  canonicalAddress,
  clientAddress,
  ClientAddressMode,
  clientAddressOf,
  connectionAddress,
  isLoopback,
  LOCAL_SOCKET,
  markConnection,
  UNKNOWN_ADDRESS,
} from '../src';

function addressOf(
  mode: ClientAddressMode,
  remoteAddress: string | undefined,
  headers: Record<string, string> = {},
): string {
  const request = { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
  clientAddress(mode)(request);
  return clientAddressOf(request);
}

test.each([
  ['1.2.3.4', '1.2.3.4'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::FFFF:0102:0304', '1.2.3.4'],
  [' 1.2.3.4 ', '1.2.3.4'],
  ['1.2.3.4:5678', '1.2.3.4'],
  ['[2001:DB8::1]:80', '2001:db8::1'],
  ['2001:0db8:0:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['1.2.3', undefined],
  ['0x7f.1', undefined],
  ['unknown', undefined],
  ['', undefined],
])('the canonical form of %j is %s', (text, canonical) => expect(canonicalAddress(text)).toBe(canonical));

test('recognizes loopback in every notation', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', LOCAL_SOCKET])
    expect(isLoopback(address)).toBe(true);
  for (const address of ['10.0.0.1', '::2', '128.0.0.1']) expect(isLoopback(address)).toBe(false);
});

test('connection: headers are ignored', () => {
  expect(addressOf('connection', '::ffff:9.9.9.9', { 'x-forwarded-for': '1.1.1.1', 'x-real-ip': '2.2.2.2' })).toBe(
    '9.9.9.9',
  );
});

test('a connection without an address is never loopback', () => {
  for (const mode of ['connection', 'x-forwarded-for-first', { trustedProxies: ['0.0.0.0/0', '::/0'] }] as const) {
    const address = addressOf(mode, undefined, { 'x-real-ip': '127.0.0.1' });
    expect(address).toBe(UNKNOWN_ADDRESS);
    expect(isLoopback(address)).toBe(false);
  }
});

test('the address is available after the connection was reset', () => {
  const socket = { remoteAddress: undefined } as unknown as Socket;
  markConnection(socket, '9.9.9.9', 'open');
  expect(connectionAddress({ socket } as IncomingMessage)).toBe('9.9.9.9');
  markConnection(socket, LOCAL_SOCKET, 'local');
  expect(isLoopback(connectionAddress({ socket } as IncomingMessage))).toBe(true);
});

test('x-forwarded-for-first: uses the first entry, else the connection', () => {
  expect(addressOf('x-forwarded-for-first', '9.9.9.9', { 'x-forwarded-for': ' 1.1.1.1 , 2.2.2.2' })).toBe('1.1.1.1');
  expect(addressOf('x-forwarded-for-first', '9.9.9.9', { 'x-forwarded-for': 'junk, 2.2.2.2' })).toBe('9.9.9.9');
  expect(addressOf('x-forwarded-for-first', '9.9.9.9')).toBe('9.9.9.9');
});

describe('trusted proxies', () => {
  const mode = { trustedProxies: ['10.0.0.1', '192.168.0.0/16', '2001:db8::/32'] };

  test.each([
    ['10.0.0.1', { 'x-real-ip': ' 1.1.1.1 ', 'x-forwarded-for': '2.2.2.2' }, '1.1.1.1'],
    ['10.0.0.1', { 'x-forwarded-for': '6.6.6.6, 2.2.2.2' }, '2.2.2.2'],
    ['10.0.0.1', { 'x-forwarded-for': '6.6.6.6, 2.2.2.2, 192.168.0.9' }, '2.2.2.2'],
    ['10.0.0.1', { 'x-forwarded-for': '192.168.0.8, 192.168.0.9' }, '192.168.0.8'],
    ['10.0.0.1', { 'x-real-ip': '  ', 'x-forwarded-for': '2.2.2.2' }, '2.2.2.2'],
    ['::ffff:10.0.0.1', { 'x-real-ip': '1.1.1.1' }, '1.1.1.1'],
    ['192.168.7.7', { 'x-real-ip': '::ffff:1.1.1.1' }, '1.1.1.1'],
    ['2001:db8:1::9', { 'x-real-ip': '1.1.1.1' }, '1.1.1.1'],
    ['10.0.0.1', {}, '10.0.0.1'],
    ['10.0.0.1', { 'x-real-ip': 'junk' }, '10.0.0.1'],
    ['10.0.0.2', { 'x-real-ip': '1.1.1.1', 'x-forwarded-for': '2.2.2.2' }, '10.0.0.2'],
    ['127.0.0.1', { 'x-real-ip': '1.1.1.1' }, '127.0.0.1'],
  ])('from %s with %j it is %s', (remote, headers, address) =>
    expect(addressOf(mode, remote, headers as Record<string, string>)).toBe(address),
  );
});
