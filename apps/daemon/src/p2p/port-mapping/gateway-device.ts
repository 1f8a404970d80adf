import http, { Agent, type ClientRequestArgs } from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Device } from 'nat-upnp-rejetto';
import { canonicalHost, isLocalHost } from '../addresses';
import type { Gateway, MappedPorts } from './task';

/** Bytes of one response; descriptions and responses of gateways have a few thousand. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/** Milliseconds in which a gateway has to say something. */
const SILENCE = 2_000;

/** The connections of a thread that talks to one host: none to another one, and none that brings more than is sensible. */
class GuardedAgent extends Agent {
  /** Why it has ended a connection, which the library forgets. */
  complaint: string | undefined;

  constructor(private readonly host: string | undefined) {
    super({ keepAlive: false });
  }

  override createConnection(options: ClientRequestArgs, _onCreated?: unknown): Duplex {
    const { host, port } = options;
    if (this.host === undefined || host !== this.host) throw this.refuse('it names another host or protocol');
    const socket: Socket = connect({ host, port: Number(port) });
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) socket.destroy(this.refuse('its response is too long'));
    });
    socket.setTimeout(SILENCE, () => socket.destroy(this.refuse('it does not respond')));
    return socket;
  }

  private refuse(complaint: string): Error {
    this.complaint = complaint;
    return new Error(complaint);
  }
}

/** What was wrong with the connections of a thread. */
interface Guard {
  complaint(): string | undefined;
}

/**
 * From now on this thread's HTTP reaches `host` alone. The library for gateways calls whatever address they name and reads
 * whatever they send; it takes the thread's agent, so this is where that ends.
 */
function talkOnlyTo(host: string): Guard {
  const [open, closed] = [new GuardedAgent(host), new GuardedAgent(undefined)];
  http.globalAgent = open;
  https.globalAgent = closed as unknown as https.Agent;
  return { complaint: () => open.complaint ?? closed.complaint };
}

/** What the mapping is called in the gateway, as by the network's other nodes. */
const DESCRIPTION = 'WRKZCoin';
/** Seconds after which a gateway forgets a mapping that nobody renews. */
const LEASE = 3600;
/** Errors of the service WANIPConnection. */
const NO_SUCH_ENTRY = 714;
const ANOTHER_HAS_IT = 718;
const PERMANENT_ONLY = 725;
/** Max length of a gateway's error text in a log line. */
const LONGEST_WORDS = 120;

/** A gateway refused, or answered nothing that can be understood. */
class GatewayError extends Error {
  constructor(
    message: string,
    readonly code?: number,
  ) {
    super(message);
  }
}

/*
 * @achingbrain/nat-port-mapper 4.0.5 was measured and does not fit: it refuses gateways of version 1 (most of them), accepts
 * another port than the requested one, has no fallback to permanent leases (error 725), removes a mapping without a check of
 * its owner and with an empty protocol, follows redirects and control addresses to other hosts, and reads responses of any size.
 */

/** What a gateway does for us, over the library's SOAP. The thread that makes one talks to no other host from then on. */
export class GatewayDevice {
  private readonly guard: Guard;
  private readonly device: Device;

  constructor(private readonly gateway: Gateway) {
    this.guard = talkOnlyTo(new URL(gateway.location).hostname);
    this.device = new Device(gateway.location);
  }

  /** The address that the internet knows. @throws GatewayError */
  async externalHost(): Promise<string> {
    const { NewExternalIPAddress: host } = await this.ask('GetExternalIPAddress', []);
    return typeof host === 'string' ? host : '';
  }

  /** Has the gateway forward a port to us. @returns seconds for which it does; 0 for ever. @throws GatewayError */
  async map(ports: MappedPorts): Promise<number> {
    try {
      return await this.mapFor(ports, LEASE);
    } catch (error) {
      if (codeOf(error) === ANOTHER_HAS_IT) {
        throw new GatewayError(`it forwards port ${String(ports.outside)} to another machine already`, ANOTHER_HAS_IT);
      }
      if (codeOf(error) !== PERMANENT_ONLY) throw error;
      return this.mapFor(ports, 0);
    }
  }

  /** Whether the mapping of the port is there and ours. @throws GatewayError */
  async isOurs({ outside, inside }: MappedPorts): Promise<boolean> {
    try {
      const entry = await this.ask('GetSpecificPortMappingEntry', outsideOf(outside));
      return entry['NewInternalClient'] === this.gateway.client && Number(entry['NewInternalPort']) === inside;
    } catch (error) {
      if (codeOf(error) === NO_SUCH_ENTRY) return false;
      throw error;
    }
  }

  /** @throws GatewayError */
  async unmap({ outside }: MappedPorts): Promise<void> {
    await this.ask('DeletePortMapping', outsideOf(outside));
  }

  private async mapFor({ outside, inside }: MappedPorts, seconds: number): Promise<number> {
    await this.ask('AddPortMapping', [
      ...outsideOf(outside),
      ['NewInternalPort', inside],
      ['NewInternalClient', this.gateway.client],
      ['NewEnabled', 1],
      ['NewPortMappingDescription', DESCRIPTION],
      ['NewLeaseDuration', seconds],
    ]);
    return seconds;
  }

  private async ask(action: string, members: (string | number)[][]): Promise<Readonly<Record<string, unknown>>> {
    let body: unknown;
    try {
      body = await this.device.run(action, members);
    } catch (error) {
      throw refusal(error, this.guard.complaint());
    }
    const response = isRecord(body) ? body[`${action}Response`] : undefined;
    // A response without fields is an empty text.
    if (response === undefined) throw new GatewayError('its response is not one to this action');
    return isRecord(response) ? response : {};
  }
}

/** Whether the internet knows that address: else the gateway stands behind another one, or is not connected. */
export function isReachable(host: string): boolean {
  return canonicalHost(host) === host && !host.includes(':') && !isLocalHost(host);
}

function outsideOf(port: number): (string | number)[][] {
  return [
    ['NewRemoteHost', ''],
    ['NewExternalPort', port],
    ['NewProtocol', 'TCP'],
  ];
}

/** The library throws what the system, the reading of XML or its own code throws, and the gateway's fault as it was read. */
function refusal(thrown: unknown, complaint: string | undefined): GatewayError {
  if (complaint !== undefined) return new GatewayError(complaint);
  if (thrown instanceof Error && 'syscall' in thrown) return new GatewayError(words(thrown.message));
  if (thrown instanceof Error || !isRecord(thrown)) return new GatewayError('what it sends cannot be understood');
  const code = Number(thrown['errorCode']);
  const description = words(thrown['errorDescription']);
  if (!Number.isInteger(code)) return new GatewayError('it refused without an error code');
  return new GatewayError(`error ${String(code)}${description === '' ? '' : ` (${description})`}`, code);
}

/** Text from the network for a line of the log. */
function words(text: unknown): string {
  return typeof text === 'string' ? text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, LONGEST_WORDS) : '';
}

function codeOf(error: unknown): number | undefined {
  return error instanceof GatewayError ? error.code : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
