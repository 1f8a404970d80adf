import http, { Agent, type ClientRequestArgs } from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Device } from 'nat-upnp-rejetto';
import { canonicalHost, isLocalHost } from '../addresses';
import type { Gateway, MappedPorts } from './task';

/** Maximum bytes of one response; descriptions and responses of gateways have a few thousand. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/** Timeout in milliseconds for data from a gateway. */
const SILENCE = 2_000;

/** HTTP agent of a thread that may connect to one host only. Limits the bytes of each response. */
class GuardedAgent extends Agent {
  /** The reason why the agent closed a connection; the library does not report it. */
  failure: string | undefined;

  constructor(private readonly host: string | undefined) {
    super({ keepAlive: false });
  }

  override createConnection(options: ClientRequestArgs, _onCreated?: unknown): Duplex {
    const { host, port } = options;
    if (this.host === undefined || host !== this.host) throw this.refuse('it refers to another host or protocol');
    const socket: Socket = connect({ host, port: Number(port) });
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) socket.destroy(this.refuse('its response is too long'));
    });
    socket.setTimeout(SILENCE, () => socket.destroy(this.refuse('it does not respond')));
    return socket;
  }

  private refuse(failure: string): Error {
    this.failure = failure;
    return new Error(failure);
  }
}

/** Reports why a connection of this thread failed. */
interface Guard {
  failure(): string | undefined;
}

/**
 * Restricts the HTTP requests of this thread to `host`. The gateway library connects to any address that a gateway names and
 * reads responses of any size. It uses the global agent of the thread, so the agent enforces the limits.
 */
function restrictRequestsTo(host: string): Guard {
  const [open, closed] = [new GuardedAgent(host), new GuardedAgent(undefined)];
  http.globalAgent = open;
  https.globalAgent = closed as unknown as https.Agent;
  return { failure: () => open.failure ?? closed.failure };
}

/** Description of the mapping in the gateway, the same as that of the other nodes of the network. */
const DESCRIPTION = 'WRKZCoin';
/** Lease in seconds: a gateway removes a mapping that is not renewed. */
const LEASE = 3600;
/** Errors of the service WANIPConnection. */
const NO_SUCH_ENTRY = 714;
const CONFLICT = 718;
const PERMANENT_ONLY = 725;
/** Max length of a gateway's error text in a log line. */
const MAX_ERROR_LENGTH = 120;

/** A gateway refused a request, or its response is invalid. */
class GatewayError extends Error {
  constructor(
    message: string,
    readonly code?: number,
  ) {
    super(message);
  }
}

/*
 * @achingbrain/nat-port-mapper 4.0.5 was tested and is unsuitable: it rejects gateways of version 1 (most of them), accepts
 * another port than the requested one, has no fallback to permanent leases (error 725), removes a mapping without a check of
 * its owner and with an empty protocol, follows redirects and control addresses to other hosts, and reads responses of any size.
 */

/** SOAP client of a gateway, based on the library. After its creation the thread can connect to no other host. */
export class GatewayDevice {
  private readonly guard: Guard;
  private readonly device: Device;

  constructor(private readonly gateway: Gateway) {
    this.guard = restrictRequestsTo(new URL(gateway.location).hostname);
    this.device = new Device(gateway.location);
  }

  /** The external address. @throws GatewayError */
  async externalHost(): Promise<string> {
    const { NewExternalIPAddress: host } = await this.request('GetExternalIPAddress', []);
    return typeof host === 'string' ? host : '';
  }

  /** Requests a port mapping to this machine. @returns the lease in seconds; 0 is permanent @throws GatewayError */
  async map(ports: MappedPorts): Promise<number> {
    try {
      return await this.mapFor(ports, LEASE);
    } catch (error) {
      if (codeOf(error) === CONFLICT) {
        throw new GatewayError(`it forwards port ${String(ports.outside)} to another machine already`, CONFLICT);
      }
      if (codeOf(error) !== PERMANENT_ONLY) throw error;
      return this.mapFor(ports, 0);
    }
  }

  /** Whether the mapping of the port exists and points to this machine. @throws GatewayError */
  async isOurs({ outside, inside }: MappedPorts): Promise<boolean> {
    try {
      const entry = await this.request('GetSpecificPortMappingEntry', outsideOf(outside));
      return entry['NewInternalClient'] === this.gateway.client && Number(entry['NewInternalPort']) === inside;
    } catch (error) {
      if (codeOf(error) === NO_SUCH_ENTRY) return false;
      throw error;
    }
  }

  /** @throws GatewayError */
  async unmap({ outside }: MappedPorts): Promise<void> {
    await this.request('DeletePortMapping', outsideOf(outside));
  }

  private async mapFor({ outside, inside }: MappedPorts, seconds: number): Promise<number> {
    await this.request('AddPortMapping', [
      ...outsideOf(outside),
      ['NewInternalPort', inside],
      ['NewInternalClient', this.gateway.client],
      ['NewEnabled', 1],
      ['NewPortMappingDescription', DESCRIPTION],
      ['NewLeaseDuration', seconds],
    ]);
    return seconds;
  }

  private async request(action: string, fields: (string | number)[][]): Promise<Readonly<Record<string, unknown>>> {
    let body: unknown;
    try {
      body = await this.device.run(action, fields);
    } catch (error) {
      throw gatewayError(error, this.guard.failure());
    }
    const response = isRecord(body) ? body[`${action}Response`] : undefined;
    // The library returns an empty string for a response without fields.
    if (response === undefined) throw new GatewayError('its response belongs to another action');
    return isRecord(response) ? response : {};
  }
}

/** Whether the address is public. Otherwise the gateway is behind another one, or offline. */
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

/** Converts a thrown value: the library throws system errors, XML parser errors, its own errors, and parsed SOAP faults. */
function gatewayError(thrown: unknown, failure: string | undefined): GatewayError {
  if (failure !== undefined) return new GatewayError(failure);
  if (thrown instanceof Error && 'syscall' in thrown) return new GatewayError(sanitized(thrown.message));
  if (thrown instanceof Error || !isRecord(thrown)) return new GatewayError('its response is invalid');
  const code = Number(thrown['errorCode']);
  const description = sanitized(thrown['errorDescription']);
  if (!Number.isInteger(code)) return new GatewayError('it refused without an error code');
  return new GatewayError(`error ${String(code)}${description === '' ? '' : ` (${description})`}`, code);
}

/** Sanitizes text from the network for a log line. */
function sanitized(text: unknown): string {
  return typeof text === 'string' ? text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_ERROR_LENGTH) : '';
}

function codeOf(error: unknown): number | undefined {
  return error instanceof GatewayError ? error.code : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
