import { networkOf } from '@wrkz/core-types';
import { WalletError } from '@wrkz/wallet-core';
import { NODE_FOLLOW_OPTIONS, nodeChoice, nodeList, parseNodeAddress } from '../src';

const network = networkOf('devnet');
const settings = { network, failover: [], token: undefined };

test.each([
  ['node.example:17856', { host: 'node.example', port: 17_856 }],
  [' 127.0.0.1:1 ', { host: '127.0.0.1', port: 1 }],
  ['[::1]:65535/base/path', { host: '[::1]/base/path', port: 65_535 }],
  ['ipc:///run/node.sock', { host: 'ipc:///run/node.sock', port: 0 }],
  ['/run/node.sock', { host: '/run/node.sock', port: 0 }],
  ['@node', { host: '@node', port: 0 }],
])('parses the node address %s', (text, place) => {
  expect(parseNodeAddress(text)).toEqual(place);
});

test.each([
  '',
  'host',
  'host:',
  'host:0',
  'host:65536',
  ':1',
  '::1:1',
  'a b:1',
  'user@host:1',
  'http://host:1',
  '/',
  '@',
])('rejects %j as a node address and as a value of --daemon-failover', (text) => {
  expect(parseNodeAddress(text)).toBeUndefined();
  const option = NODE_FOLLOW_OPTIONS.find(({ name }) => name === 'daemon-failover') as unknown as {
    validate: (value: string) => string | undefined;
  };
  expect(option.validate(text)).toContain('host:port');
  expect(option.validate('host:1')).toBeUndefined();
});

test('fills missing node fields with 127.0.0.1, the RPC port of the network and no TLS', () => {
  expect(nodeChoice({}, settings)).toEqual({
    ...{ daemonHost: '127.0.0.1', daemonPort: network.ports.rpc, daemonSSL: false },
  });
  const whole = { daemonHost: 'a', daemonPort: 0, daemonSSL: true };
  expect(nodeChoice(whole, settings)).toEqual(whole);
});

test('lists the chosen node first, then the failover nodes in their order', () => {
  const choice = { daemonHost: 'chosen', daemonPort: 1, daemonSSL: true };
  const list = nodeList(choice, { ...settings, failover: ['b:2', 'none', '/run/c.sock'], token: 't' });
  const names = list.nodes().map(({ name }) => name);
  expect(names).toHaveLength(3);
  expect(names[0]).toMatch(/^https:\/\/chosen:1/);
  expect(names[1]).toMatch(/^http:\/\/b:2/);
  expect(names[2]).toContain('/run/c.sock');
  expect(list.nodes().map(({ isInUse }) => isInUse)).toEqual([true, false, false]);
  list.close();
});

test('reports an invalid node address as daemonOffline', () => {
  const wrong = { daemonHost: 'no host', daemonPort: 1, daemonSSL: false };
  const refusal = (): unknown => nodeList(wrong, settings);
  expect(refusal).toThrow(WalletError);
  expect(refusal).toThrow(expect.objectContaining({ code: 30 }));
});
