import { nodeLocation } from '../src';

const at = (host: string, port = 17_856, ssl = false) => nodeLocation({ host, port, ssl });

test.each([
  ['127.0.0.1', 'http://127.0.0.1:17856'],
  ['node.example', 'http://node.example:17856'],
  ['::1', 'http://[::1]:17856'],
  ['[::1]', 'http://[::1]:17856'],
  ['node.example/daemon', 'http://node.example:17856/daemon'],
  ['node.example/a/b/', 'http://node.example:17856/a/b'],
  ['fe80::1/daemon', 'http://[fe80::1]:17856/daemon'],
])('%s', (host, url) => {
  expect(at(host)).toMatchObject({ baseUrl: url, socket: undefined });
});

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8/daemon', true],
  ['LOCALHOST', true],
  ['::1', true],
  ['@node', true],
  ['127.0.0.1.example', false],
  ['10.0.0.1', false],
])('%s is on this machine: %j', (host, isLoopback) => {
  expect(at(host).isLoopback).toBe(isLoopback);
});

test('omits the default port of TLS from the URL', () => {
  expect(at('node.example', 443, true).baseUrl).toBe('https://node.example');
  expect(at('node.example', 8_443, true).baseUrl).toBe('https://node.example:8443');
});

test.each([
  ['/run/node.sock', '/run/node.sock'],
  ['ipc:///run/node.sock', '/run/node.sock'],
  ['@node', '\0node'],
  ['ipc://@node', '\0node'],
])('the socket %s needs no port', (host, socket) => {
  expect(at(host, 0)).toMatchObject({ socket, baseUrl: 'http://localhost' });
});

test.each(['', '  ', 'a b', 'user:secret@node', 'node?x', 'node#x', 'ipc://', '@', '/daemon\0', 'http://node'])(
  '%j is not a valid node address',
  (host) => {
    expect(() => at(host)).toThrow(RangeError);
  },
);

test.each([0, -1, 65_536, 1.5])('rejects port %d', (port) => {
  expect(() => at('node', port)).toThrow('between 1 and 65535');
});
