import { SteppedClock } from '@wrkz/testing';
import { readConfig } from '../../../src';
import { PortMapping } from '../../../src/p2p/port-mapping/port-mapping';
import { isReachable } from '../../../src/p2p/port-mapping/gateway-device';
import type { RunTask } from '../../../src/p2p/port-mapping/task';
import { gatewayOf, searchedNetworks } from '../../../src/p2p/port-mapping/search';
import { mapsPort } from '../../../src/p2p/port-mapping/port-mapping';
import type { Gateway, MappingOutcome, MappingTask } from '../../../src/p2p/port-mapping/task';
import { exercises } from '../../support/exercises';
import { TestLogger } from '../fakes';

exercises('no-upnp', 'hide-my-port');

describe('whether port mapping is used', () => {
  it.each([
    [[], true],
    [['--p2p-bind-ip=192.168.1.7'], true],
    [['--p2p-bind-ip=::'], true],
    [['--no-upnp'], false],
    [['--hide-my-port'], false],
    [['--in-peers=0'], false],
    [['--p2p-bind-ip=127.0.0.1'], false],
    [['--p2p-bind-ip=::1'], false],
    [['--p2p-bind-ip=2a00::1'], false],
    [['--network=devnet'], false],
    [['--network=devnet', '--no-upnp=false'], false],
    [['--simnet', '--no-upnp=false'], false],
  ])('%j: %s', (argv, requested) => {
    expect(mapsPort(readConfig(argv))).toBe(requested);
  });
});

describe('the networks searched for a gateway', () => {
  const info = (address: string, change: object = {}) =>
    ({ family: 'IPv4', internal: false, address, cidr: `${address}/24`, ...change }) as never;

  it('are every private network of the machine, or that of the listener', () => {
    const interfaces = {
      lo: [info('127.0.0.1', { internal: true })],
      eth0: [info('192.168.1.7'), info('fd00::7', { family: 'IPv6' }), info('93.184.216.34')],
      eth1: [info('10.0.0.7'), info('100.64.0.7'), info('169.254.1.7'), info('172.16.0.7', { cidr: null })],
    };
    const searched = (host: string): string[] => searchedNetworks(host, interfaces).map(({ address }) => address);
    expect(searched('0.0.0.0')).toEqual(['192.168.1.7', '10.0.0.7', '100.64.0.7']);
    expect(searched('::')).toEqual(searched('0.0.0.0'));
    expect(searched('10.0.0.7')).toEqual(['10.0.0.7']);
    expect(searched('93.184.216.34')).toEqual([]);
    expect(searched('127.0.0.1')).toEqual([]);
  });
});

describe('a response to a search', () => {
  const network = { address: '192.168.77.2', cidr: '192.168.77.2/24' };
  const ST = 'urn:schemas-upnp-org:device:InternetGatewayDevice:1';
  const response = (location: string, change: { status?: string; st?: string; more?: string } = {}): Buffer =>
    Buffer.from(
      [
        change.status ?? 'HTTP/1.1 200 OK',
        `St: ${change.st ?? ST}`,
        `Location:  ${location}`,
        change.more ?? '',
        '',
      ].join('\r\n'),
    );
  const read = (bytes: Buffer, sender = '192.168.77.1'): string | undefined =>
    gatewayOf(bytes, sender, network)?.location;

  it('has the URL of its own sender', () => {
    const location = 'http://192.168.77.1:5000/rootDesc.xml';
    expect(gatewayOf(response(location), '192.168.77.1', network)).toEqual({ location, client: '192.168.77.2' });
    expect(read(response('http://192.168.77.1/a'))).toBe('http://192.168.77.1/a');
    expect(read(response(location, { st: ST.replace(/1$/, '2') }))).toBe(location);
  });

  it.each([
    ['another host', response('http://192.168.77.9:5000/x')],
    ['the loopback', response('http://127.0.0.1:5000/x')],
    ['the loopback as a mapped IPv6 address', response('http://[::ffff:192.168.77.1]:5000/x')],
    ['a name', response('http://router.example/x')],
    ['another protocol', response('https://192.168.77.1/x')],
    ['a file', response('file:///etc/passwd')],
    ['a user name that looks like the host', response('http://192.168.77.1@192.168.77.9/x')],
    ['a user', response('http://user@192.168.77.1/x')],
    ['nothing', response('')],
    ['garbage', response('::::')],
    ['another device', response('http://192.168.77.1/x', { st: 'upnp:rootdevice' })],
    ['a refusal', response('http://192.168.77.1/x', { status: 'HTTP/1.1 404 Not Found' })],
    ['a notice', response('http://192.168.77.1/x', { status: 'NOTIFY * HTTP/1.1' })],
    ['too much', response('http://192.168.77.1/x', { more: 'x'.repeat(4_000) })],
    ['no text', Buffer.from(Array.from({ length: 1_000 }, (_, n) => (n * 31) % 256))],
  ])('with %s is ignored', (_, bytes) => {
    expect(read(bytes)).toBeUndefined();
  });

  it('from outside the network is ignored with any URL', () => {
    for (const sender of ['192.168.78.1', '93.184.216.34', '10.0.0.1'])
      expect(read(response(`http://${sender}/x`), sender)).toBeUndefined();
  });
});

it('requires an address to be public to be reachable', () => {
  expect(['93.184.216.34', '8.8.8.8'].filter(isReachable)).toHaveLength(2);
  const none = [
    '',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.1.1',
    '127.0.0.1',
    '999.1.1.1',
    '1.2.3',
    '2a00:1450::1',
    'router',
    '224.0.0.1',
  ];
  expect(none.filter(isReachable)).toEqual([]);
});

describe('a mapping from start to stop', () => {
  const gateway: Gateway = { location: 'http://192.168.77.1:5000/rootDesc.xml', client: '192.168.77.2' };
  const mapped: MappingOutcome = { kind: 'mapped', gateway, externalHost: '93.184.216.34', seconds: 3600 };
  const refused: MappingOutcome = { kind: 'refused', gateway, why: 'error 501 (No)' };

  /** A mapping with scripted outcomes of its tasks, in order. */
  function scripted(outcomes: (MappingOutcome | undefined)[]) {
    const clock = new SteppedClock();
    const logger = new TestLogger();
    const tasks: string[] = [];
    const addresses: (string | undefined)[] = [];
    const run: RunTask = (task: MappingTask) => {
      tasks.push(task.kind === 'unmap' ? 'unmap' : task.gateway === undefined ? 'search' : 'renew');
      const outcome = outcomes.shift();
      return {
        outcome: Promise.resolve(outcome),
        gateway: () => (outcome?.kind === 'mapped' ? gateway : undefined),
        terminate: () => undefined,
      };
    };
    const onMapped = (address: { host: string; port: number } | undefined): void => void addresses.push(address?.host);
    const parts = { bindHost: '0.0.0.0', ports: { outside: 17855, inside: 17855 }, logger, clock, run, onMapped };
    const settle = async (): Promise<void> => {
      for (let n = 0; n < 20; n += 1) await Promise.resolve();
    };
    const renewal = async (): Promise<void> => {
      clock.advance(1_200_000);
      await settle();
    };
    return { mapping: new PortMapping(parts), logger, tasks, addresses, settle, renewal };
  }

  it('renews it at the same gateway, and logs it once', async () => {
    const { mapping, logger, tasks, addresses, settle, renewal } = scripted([
      mapped,
      mapped,
      mapped,
      { kind: 'removed', wasOurs: true },
    ]);
    mapping.start();
    await settle();
    await renewal();
    await renewal();
    await mapping.stop();
    expect(tasks).toEqual(['search', 'renew', 'renew', 'unmap']);
    expect(addresses).toEqual(Array.from({ length: 3 }, () => '93.184.216.34'));
    expect(logger.lines.filter((line) => line.includes('Added'))).toHaveLength(1);
    await renewal();
    expect(tasks).toHaveLength(4);
  });

  it('searches for a new gateway when the gateway is lost, and drops its address', async () => {
    const { mapping, logger, tasks, addresses, settle, renewal } = scripted([
      mapped,
      refused,
      { kind: 'none' },
      { kind: 'none' },
      mapped,
    ]);
    mapping.start();
    await settle();
    await renewal();
    await renewal();
    await renewal();
    expect(tasks).toEqual(['search', 'renew', 'search', 'search', 'search']);
    expect(addresses).toEqual(['93.184.216.34', undefined, undefined, '93.184.216.34']);
    expect(logger.lines.filter((line) => line.includes('No IGD was found'))).toHaveLength(1);
    expect(logger.lines.filter((line) => line.includes('Added'))).toHaveLength(2);
  });

  it('logs a warning with the error text of the gateway that refuses it', async () => {
    const { mapping, logger, tasks, settle } = scripted([refused]);
    mapping.start();
    await settle();
    await mapping.stop();
    expect(logger.lines).toContainEqual(
      expect.stringContaining('UPnP port mapping of port 17855 failed: 192.168.77.1:5000: error 501 (No)'),
    );
    expect(tasks).toEqual(['search']);
  });
});
