import { join } from 'node:path';
import { namespaceWay, runInNamespace } from '../../support/namespace';
import { exercises } from '../../support/exercises';
import type { SoapCall } from './fake-gateway';

exercises('no-upnp');

/** Skipped without network namespaces: otherwise the searches would reach a real network. */
const inNamespace = namespaceWay === undefined ? describe.skip : describe;

interface Played {
  readonly name: string;
  readonly bystander: number;
  readonly outcome?: { readonly kind: string; readonly why?: string } | null;
  readonly calls?: readonly SoapCall[];
  readonly searches?: readonly string[];
  readonly lines?: readonly string[];
  readonly addresses?: readonly unknown[];
  readonly actions?: readonly string[];
  readonly mappings?: readonly SoapCall['members'][];
  readonly left?: number;
}

async function played<T extends { readonly name: string }>(file: string): Promise<ReadonlyMap<string, T>> {
  const { code, stdout, stderr } = await runInNamespace(join(__dirname, file), []);
  expect([code, stderr]).toEqual([0, '']);
  const rows = stdout.trim().split('\n');
  return new Map(rows.map((row) => JSON.parse(row) as T).map((row) => [row.name, row]));
}

inNamespace('a gateway in a network namespace', () => {
  let scenes: ReadonlyMap<string, Played>;
  beforeAll(async () => {
    scenes = await played<Played>('scenes.ts');
  });
  const scene = (name: string): Played => {
    const found = scenes.get(name);
    if (found === undefined) throw new Error(`no scenario ${name}`);
    return found;
  };
  const ADDED = {
    NewRemoteHost: '',
    NewExternalPort: '17855',
    NewProtocol: 'TCP',
    NewInternalPort: '17855',
    NewInternalClient: '192.168.77.2',
    NewEnabled: '1',
    NewPortMappingDescription: 'WRKZCoin',
    NewLeaseDuration: '3600',
  };

  it('is found by searching the group, and forwards the port', () => {
    const { outcome, calls, searches } = scene('found');
    expect(outcome).toMatchObject({ kind: 'mapped', externalHost: '93.184.216.34', seconds: 3600 });
    expect(calls?.map(({ action }) => action)).toEqual(['GetExternalIPAddress', 'AddPortMapping']);
    expect(calls?.[1]?.members).toEqual(ADDED);
    expect(searches?.[0]).toBe(
      'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n' +
        'ST: urn:schemas-upnp-org:device:InternetGatewayDevice:1\r\nMAN: "ssdp:discover"\r\nMX: 1\r\n\r\n',
    );
  });

  it('gets a request without a lease time if it supports only permanent mappings', () => {
    expect(scene('honest').outcome).toMatchObject({ kind: 'mapped', seconds: 3600 });
    expect(scene('only permanent leases').outcome).toMatchObject({ kind: 'mapped', seconds: 0 });
  });

  it.each<[string, string, string | undefined]>([
    ['the port is another one’s', 'refused', 'it forwards port 17855 to another machine already'],
    ['behind another router', 'unfit', 'its address is not public: it is behind another router'],
    ['not connected', 'unfit', 'it is not connected to the internet'],
    ['an invalid external address', 'unfit', 'its address is not public: it is behind another router'],
    ['a location elsewhere', 'none', undefined],
    ['nobody there', 'none', undefined],
    ['a control address elsewhere', 'refused', 'it refers to another host or protocol'],
    ['a control address by name', 'refused', 'it refers to another host or protocol'],
    ['a control address of another protocol', 'refused', 'its response is invalid'],
    ['a redirect elsewhere', 'refused', 'its response is invalid'],
    ['a description without end', 'refused', 'its response is too long'],
    ['a response without end', 'refused', 'its response is too long'],
    ['a missing response to the description request', 'refused', 'it does not respond'],
    ['no description at all', 'refused', 'its response is invalid'],
    ['garbage', 'refused', 'its response is invalid'],
    ['garbage that is nested', 'refused', 'its response is invalid'],
    ['nested devices', 'refused', 'its response is invalid'],
    ['members of the prototype', 'refused', 'its response is invalid'],
    ['an empty description', 'refused', 'its response is invalid'],
    ['a known gateway that is gone', 'refused', 'connect ECONNREFUSED 192.168.77.1:4999'],
  ])('%s: %s', (name, kind, why) => {
    const { outcome, calls } = scene(name);
    expect([outcome?.kind, outcome?.why]).toEqual([kind, why]);
    if (kind === 'unfit') expect(calls?.map(({ action }) => action)).toEqual(['GetExternalIPAddress']);
  });

  it('is disconnected if it trickles forever', () => {
    expect(scene('a description that trickles').outcome).toBeNull();
  });

  it('cannot expand XML entities', () => {
    const requests = scene('entities that multiply').calls ?? [];
    expect(JSON.stringify(requests).length).toBeLessThan(2_000);
  });

  it('cannot write control characters into the log', () => {
    const { why = '' } = scene('a refusal with control characters').outcome ?? {};
    expect(why).toMatch(/^error 501 \( \[31mGo away\. [\x20-\x7e]+\)$/);
    expect(why.length).toBeLessThan(150);
  });

  it('opens no connection to another host in any scenario', () => {
    expect([...scenes.values()].filter(({ bystander }) => bystander > 0).map(({ name }) => name)).toEqual([]);
  });

  it('removes the mapping at the stop', () => {
    const { lines, addresses, actions, left, mappings } = scene('a life');
    expect(lines).toEqual([
      'info Attempting to add IGD port mapping.',
      'info Added IGD port mapping: 93.184.216.34:17855 is forwarded to 192.168.77.2:17855',
      'info Removed IGD port mapping.',
    ]);
    expect(addresses).toEqual([{ host: '93.184.216.34', port: 17855 }]);
    const removal = ['GetSpecificPortMappingEntry', 'DeletePortMapping'];
    expect(actions).toEqual(['GetExternalIPAddress', 'AddPortMapping', ...removal]);
    expect([mappings, left]).toEqual([[ADDED], 0]);
  });

  it('retains a mapping that belongs to another machine by then', () => {
    const { actions, left, lines } = scene('somebody else has the port at the end');
    expect([actions?.at(-1), left, lines?.at(-1)]).toEqual([
      'GetSpecificPortMappingEntry',
      1,
      'info The IGD port mapping was already removed.',
    ]);
  });

  it('does not delay a stop, whichever request gets no response', () => {
    expect(scene('a stop during the request to the gateway').actions).toEqual([
      'GetExternalIPAddress',
      'AddPortMapping',
      'GetSpecificPortMappingEntry',
    ]);
    expect(scene('a stop that hangs').lines?.at(-1)).toMatch(
      /^warning the IGD port mapping of port 17855 could not be removed: it d.*not respond.*; it expires within an hour$/,
    );
    expect(scene('a stop at once')).toMatchObject({ actions: [], lines: ['info Attempting to add IGD port mapping.'] });
  });
});

inNamespace('whole daemons in a network namespace', () => {
  interface Run extends Pick<Played, 'name' | 'lines' | 'mappings' | 'left'> {
    readonly code: number;
    readonly port: string;
    readonly searches: number;
  }
  let runs: ReadonlyMap<string, Run>;
  beforeAll(async () => {
    runs = await played<Run>('daemons.ts');
  });

  it.each([
    ['mapped', (port: string) => port],
    ['told another port', () => '20001'],
  ])('%s: the port that the node reports to peers is forwarded while it runs', (name, outside) => {
    const { code, lines, mappings, left, port = '', searches = 0 } = runs.get(name) ?? {};
    const expected = [
      /Attempting to add IGD port mapping\.$/,
      new RegExp(
        `Added IGD port mapping: 93\\.184\\.216\\.34:${outside(port)} is forwarded to 192\\.168\\.77\\.2:${port}$`,
      ),
      /Removed IGD port mapping\.$/,
    ];
    expect(lines).toEqual(expected.map((line) => expect.stringMatching(line) as string));
    expect(mappings).toMatchObject([{ NewExternalPort: outside(port), NewInternalPort: port }]);
    expect([code, left]).toEqual([0, 0]);
    expect(searches).toBeGreaterThan(0);
  });

  it.each(['no-upnp', 'devnet'])('%s: no gateway is searched for', (name) => {
    expect(runs.get(name)).toMatchObject({ code: 0, lines: [], mappings: [], searches: 0 });
  });
});
