/**
 * Plays scenes with a fake gateway, and prints what came of each as a line of JSON. It is run in a network namespace
 * (`support/namespace`); without one it does nothing, so that nothing is ever sent to a real network.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { PortMapping, type PortMappingParts } from '../../../src/p2p/port-mapping/port-mapping';
import { runInThread } from '../../../src/p2p/port-mapping/run-task';
import type { MappingTask } from '../../../src/p2p/port-mapping/task';
import { BYSTANDER, descriptionWith, FakeGateway, GATEWAY, type Manners, NODE } from './fake-gateway';

const PORTS = { outside: 17855, inside: 17855 };
const MAP: MappingTask = { kind: 'map', gateway: undefined, bindHost: NODE, ports: PORTS };
const KNOWN = { location: `http://${GATEWAY}:5000/rootDesc.xml`, client: NODE };

type Scene = (bystander: { requests: number }) => Promise<unknown>;

/** What comes of a mapping that a gateway of such manners is asked for. */
const mapping =
  (manners: Manners, milliseconds = 8_000): Scene =>
  async () => {
    const gateway = await FakeGateway.start(manners);
    try {
      const started = performance.now();
      const outcome = await runInThread(MAP, milliseconds).outcome;
      const took = performance.now() - started;
      return { outcome: outcome ?? null, took, actions: gateway.calls.map(({ action }) => action), calls: gateway.calls };
    } finally {
      await gateway.close();
    }
  };

const describing = (text: string | Buffer): Manners => ({ description: (response) => void response.end(text) });

class Lines {
  readonly lines: string[] = [];
  readonly debug = (): void => undefined;
  readonly info = (line: string): void => void this.lines.push(`info ${line}`);
  readonly warning = (line: string): void => void this.lines.push(`warning ${line}`);
  readonly error = (line: string): void => void this.lines.push(`error ${line}`);
}

/** The life of a mapping: `during` is awaited between its start and its stop. */
async function life(
  manners: Manners,
  during: (told: Promise<unknown>, gateway: FakeGateway) => Promise<unknown>,
  more: Partial<PortMappingParts> = {},
): Promise<object> {
  const gateway = await FakeGateway.start(manners);
  try {
    const logger = new Lines();
    const addresses: unknown[] = [];
    let heard: (() => void) | undefined;
    const told = new Promise<void>((resolve) => (heard = resolve));
    const onMapped = (address: unknown): void => {
      addresses.push(address ?? null);
      heard?.();
    };
    const life = new PortMapping({ bindHost: NODE, ports: PORTS, logger, onMapped, ...more });
    life.start();
    await during(told, gateway);
    const mappings = [...gateway.mappings.values()];
    const started = performance.now();
    await life.stop();
    const stopTook = performance.now() - started;
    const left = gateway.mappings.size;
    return { lines: logger.lines, addresses, mappings, left, stopTook, actions: gateway.calls.map(({ action }) => action) };
  } finally {
    await gateway.close();
  }
}

const SCENES: Record<string, Scene> = {
  honest: mapping({}),
  'only permanent leases': mapping({
    errors: { AddPortMapping: ({ NewLeaseDuration }) => (NewLeaseDuration === '0' ? undefined : 725) },
  }),
  'the port is another one’s': mapping({ errors: { AddPortMapping: () => 718 } }),
  'a refusal with control characters': mapping({
    errors: { AddPortMapping: () => 501 },
    errorText: `\u001b[31m${'Go away. '.repeat(40)}`,
  }),
  'behind another router': mapping({ external: '10.0.0.7' }),
  'not connected': mapping({ external: '' }),
  'an external address that is none': mapping({ external: '999.1.1.1' }),
  'nobody there': async () => {
    const started = performance.now();
    const outcome = await runInThread(MAP, 8_000).outcome;
    return { outcome, took: performance.now() - started };
  },
  'a location elsewhere': mapping({ location: `http://${BYSTANDER}:5000/rootDesc.xml` }),
  'a location on the loopback': mapping({ location: 'http://127.0.0.1:5000/rootDesc.xml' }),
  'a location by name': mapping({ location: 'http://router.example:5000/rootDesc.xml' }),
  'a location of another protocol': mapping({ location: `https://${GATEWAY}:5000/rootDesc.xml` }),
  'a location that is none': mapping({ location: '::::' }),
  'a control address elsewhere': mapping({ controlUrl: `http://${BYSTANDER}:5000/ctl` }),
  'a control address by name': mapping({ controlUrl: 'http://router.example/ctl' }),
  'a control address of another protocol': mapping({ controlUrl: `https://${BYSTANDER}:5000/ctl` }),
  'a redirect elsewhere': mapping({
    description: (response) => void response.writeHead(302, { location: `http://${BYSTANDER}:5000/rootDesc.xml` }).end(),
  }),
  'a description without end': mapping({
    description: (response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('<a>'.repeat(20_000)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
  }),
  'a description that trickles': mapping(
    {
      description: (response) => {
        const drip = setInterval(() => response.write(' '), 100);
        response.once('close', () => clearInterval(drip));
      },
    },
    2_000,
  ),
  'a description that never comes': mapping({ description: () => undefined }),
  'no description at all': mapping({ description: (response) => void response.destroy() }),
  garbage: mapping(describing(Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 256)))),
  'garbage that is nested': mapping(describing('<a>'.repeat(80_000))),
  'nested devices': mapping(
    describing(`<root>${'<device><deviceList>'.repeat(8_000)}${'</deviceList></device>'.repeat(8_000)}</root>`),
  ),
  'entities that multiply': mapping(
    describing(
      `<!DOCTYPE r [<!ENTITY a "${'x'.repeat(1000)}">${Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i} "${(i === 0 ? '&a;' : `&e${i - 1};`).repeat(50)}">`).join('')}]>` +
        descriptionWith('/&e19;'),
    ),
  ),
  'members of the prototype': mapping(
    describing('<root><__proto__><device>1</device></__proto__><constructor><prototype/></constructor></root>'),
  ),
  'an empty description': mapping(describing('')),
  'a life': () => life({}, (told) => told),
  'a life with another inside port': () => life({}, (told) => told, { ports: { outside: 20_000, inside: 17_855 } }),
  'somebody else has the port at the end': () => life({ owner: '192.168.77.50' }, (told) => told),
  'a stop while the gateway is asked': () => {
    let asked: (() => void) | undefined;
    const reached = new Promise<void>((resolve) => (asked = resolve));
    return life({ hangs: { AddPortMapping: () => asked?.() } }, () => reached);
  },
  'a stop that hangs': () => life({ hangs: { GetSpecificPortMappingEntry: () => undefined } }, (told) => told),
  'a stop at once': () => life({}, () => Promise.resolve()),
  'a known gateway that is gone': async () => {
    const started = performance.now();
    const outcome = await runInThread({ kind: 'unmap', gateway: KNOWN, ports: PORTS }, 3_000).outcome;
    return { outcome, took: performance.now() - started };
  },
};

async function play(): Promise<void> {
  const others = Object.keys(networkInterfaces()).filter((name) => name !== 'lo' && name !== 'br0');
  if (others.length > 0 || networkInterfaces()['br0'] === undefined) throw new Error('this is a real network');
  const bystander = { requests: 0 };
  const sinks = [BYSTANDER, '127.0.0.1'].map((host) =>
    createServer((request, response) => {
      bystander.requests += 1;
      response.end();
    })
      .on('connection', () => (bystander.requests += 1))
      .listen(5000, host),
  );
  await Promise.all(sinks.map((sink) => once(sink, 'listening')));
  const wanted = process.argv.slice(2);
  for (const [name, scene] of Object.entries(SCENES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    bystander.requests = 0;
    const result = (await scene(bystander)) as object;
    const { rss } = process.memoryUsage();
    process.stdout.write(`${JSON.stringify({ name, ...result, bystander: bystander.requests, rss })}\n`);
  }
  for (const sink of sinks) sink.close();
}

void play();
