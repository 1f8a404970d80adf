/**
 * Runs scenarios with a fake gateway, and prints each outcome as a line of JSON. It runs in a network namespace
 * (`support/namespace`); without one it does nothing, so that no packet reaches a real network.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { PortMapping, type PortMappingDependencies } from '../../../src/p2p/port-mapping/port-mapping';
import { runInThread } from '../../../src/p2p/port-mapping/task';
import type { MappingTask } from '../../../src/p2p/port-mapping/task';
import { BYSTANDER, descriptionWith, FakeGateway, GATEWAY, type GatewayBehaviour, NODE } from './fake-gateway';
import { refuseRealNetwork } from './real-network';

const PORTS = { outside: 17855, inside: 17855 };
const MAP: MappingTask = { kind: 'map', gateway: undefined, bindHost: NODE, ports: PORTS };
const KNOWN = { location: `http://${GATEWAY}:4999/rootDesc.xml`, client: NODE };

/** On a busy machine the start of a thread from its source takes seconds. */
const UNHURRIED = { map: 30_000, stop: 30_000 };

type Scene = () => Promise<object>;

let lastPort = 5000;

/** The outcome of a mapping requested from a gateway of this behaviour, without a search. */
const requesting =
  (behaviour: GatewayBehaviour, milliseconds = 30_000): Scene =>
  async () => {
    const port = (lastPort += 1);
    const gateway = await FakeGateway.start(behaviour, port);
    const known = { location: `http://${GATEWAY}:${String(port)}/rootDesc.xml`, client: NODE };
    try {
      const outcome = await runInThread({ ...MAP, gateway: known }, milliseconds).outcome;
      return { outcome: outcome ?? null, calls: gateway.calls };
    } finally {
      await gateway.close();
    }
  };

const searching =
  (behaviour: GatewayBehaviour): Scene =>
  async () => {
    const gateway = await FakeGateway.start(behaviour);
    try {
      const outcome = await runInThread(MAP, 30_000).outcome;
      return { outcome: outcome ?? null, calls: gateway.calls, searches: gateway.searches };
    } finally {
      await gateway.close();
    }
  };

const describing = (text: string | Buffer): GatewayBehaviour => ({
  description: (response) => void response.end(text),
});

/** A response without end. */
function endless(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write('<a>'.repeat(20_000)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

class Lines {
  readonly lines: string[] = [];
  readonly debug = (): void => undefined;
  readonly info = (line: string): void => void this.lines.push(`info ${line}`);
  readonly warning = (line: string): void => void this.lines.push(`warning ${line}`);
  readonly error = (line: string): void => void this.lines.push(`error ${line}`);
}

/** Starts and stops a mapping; `during` is awaited in between. */
async function life(
  behaviour: GatewayBehaviour,
  during: (reported: Promise<unknown>, gateway: FakeGateway) => Promise<unknown>,
  more: Partial<PortMappingDependencies> = {},
): Promise<object> {
  const gateway = await FakeGateway.start(behaviour);
  try {
    const logger = new Lines();
    const addresses: unknown[] = [];
    let heard: (() => void) | undefined;
    const reported = new Promise<void>((resolve) => (heard = resolve));
    const onMapped = (address: unknown): void => {
      addresses.push(address ?? null);
      heard?.();
    };
    const life = new PortMapping({ bindHost: NODE, ports: PORTS, logger, onMapped, timeouts: UNHURRIED, ...more });
    life.start();
    await during(reported, gateway);
    const mappings = [...gateway.mappings.values()];
    const started = performance.now();
    await life.stop();
    const stopTook = performance.now() - started;
    const left = gateway.mappings.size;
    return {
      lines: logger.lines,
      addresses,
      mappings,
      left,
      stopTook,
      actions: gateway.calls.map(({ action }) => action),
    };
  } finally {
    await gateway.close();
  }
}

/** Scenarios that can run concurrently. */
const ASKED: Record<string, Scene> = {
  honest: requesting({}),
  'only permanent leases': requesting({
    errors: { AddPortMapping: ({ NewLeaseDuration }) => (NewLeaseDuration === '0' ? undefined : 725) },
  }),
  'the port is another one’s': requesting({ errors: { AddPortMapping: () => 718 } }),
  'a refusal with control characters': requesting({
    errors: { AddPortMapping: () => 501 },
    errorText: `\u001b[31m${'Go away. '.repeat(40)}`,
  }),
  'behind another router': requesting({ external: '10.0.0.7' }),
  'not connected': requesting({ external: '' }),
  'an invalid external address': requesting({ external: '999.1.1.1' }),
  'a control address elsewhere': requesting({ controlUrl: `http://${BYSTANDER}:5000/ctl` }),
  'a control address by name': requesting({ controlUrl: 'http://router.example/ctl' }),
  'a control address of another protocol': requesting({ controlUrl: `https://${BYSTANDER}:5000/ctl` }),
  'a redirect elsewhere': requesting({
    description: (response) =>
      void response.writeHead(302, { location: `http://${BYSTANDER}:5000/rootDesc.xml` }).end(),
  }),
  'a description without end': requesting({ description: endless }),
  'a response without end': requesting({ hangs: { GetExternalIPAddress: endless } }),
  'a description that trickles': requesting(
    {
      description: (response) => {
        const drip = setInterval(() => response.write(' '), 100);
        response.once('close', () => clearInterval(drip));
      },
    },
    2_000,
  ),
  'a missing response to the description request': requesting({ description: () => undefined }),
  'no description at all': requesting({ description: (response) => void response.destroy() }),
  garbage: requesting(describing(Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 256)))),
  'garbage that is nested': requesting(describing('<a>'.repeat(80_000))),
  'nested devices': requesting(
    describing(`<root>${'<device><deviceList>'.repeat(4_000)}${'</deviceList></device>'.repeat(4_000)}</root>`),
  ),
  'entities that multiply': requesting(
    describing(
      `<!DOCTYPE r [<!ENTITY a "${'x'.repeat(1000)}">${Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i} "${(i === 0 ? '&a;' : `&e${i - 1};`).repeat(50)}">`).join('')}]>` +
        descriptionWith('/&e19;'),
    ),
  ),
  'members of the prototype': requesting(
    describing('<root><__proto__><device>1</device></__proto__><constructor><prototype/></constructor></root>'),
  ),
  'an empty description': requesting(describing('')),
  'a known gateway that is gone': async () => ({
    outcome: await runInThread({ kind: 'unmap', gateway: KNOWN, ports: PORTS }, 30_000).outcome,
  }),
};

/** Scenarios with a search. They share the network, so they run one after the other. */
const SEARCHED: Record<string, Scene> = {
  found: searching({}),
  'a location elsewhere': searching({ location: `http://${BYSTANDER}:5000/rootDesc.xml` }),
  'nobody there': async () => ({ outcome: await runInThread(MAP, 30_000).outcome }),
  'a life': () => life({}, (reported) => reported),
  'somebody else has the port at the end': () => life({ owner: '192.168.77.50' }, (reported) => reported),
  'a stop during the request to the gateway': () => {
    let requested: (() => void) | undefined;
    const reached = new Promise<void>((resolve) => (requested = resolve));
    return life({ hangs: { AddPortMapping: () => requested?.() } }, () => reached);
  },
  'a stop that hangs': () => life({ hangs: { GetSpecificPortMappingEntry: () => undefined } }, (reported) => reported),
  'a stop at once': () => life({}, () => Promise.resolve()),
};

async function play(): Promise<void> {
  refuseRealNetwork();
  const bystander = { requests: 0 };
  const sinks = [BYSTANDER, '127.0.0.1'].map((host) =>
    createServer((_request, response) => {
      bystander.requests += 1;
      response.end();
    })
      .on('connection', () => (bystander.requests += 1))
      .listen(5000, host),
  );
  await Promise.all(sinks.map((sink) => once(sink, 'listening')));
  const show = (name: string, result: object): void => {
    process.stdout.write(`${JSON.stringify({ name, ...result, bystander: bystander.requests })}\n`);
  };
  const all = Object.entries(ASKED);
  const playNext = async (): Promise<void> => {
    for (let next = all.shift(); next !== undefined; next = all.shift()) show(next[0], await next[1]());
  };
  await Promise.all([playNext(), playNext(), playNext()]);
  for (const [name, scene] of Object.entries(SEARCHED)) show(name, await scene());
  for (const sink of sinks) sink.close();
}

void play();
