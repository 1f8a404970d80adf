import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Addresses of the namespace: the node, the gateway, and an unrelated host. */
export const NODE = '192.168.77.2';
export const GATEWAY = '192.168.77.1';
export const BYSTANDER = '192.168.77.9';
export const EXTERNAL = '93.184.216.34';

const SERVICE = 'urn:schemas-upnp-org:service:WANIPConnection:1';

export interface SoapCall {
  readonly action: string;
  readonly members: Readonly<Record<string, string>>;
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Deviations of a gateway from correct behaviour. */
export interface GatewayBehaviour {
  readonly location?: string;
  readonly description?: Answer;
  readonly controlUrl?: string;
  readonly external?: string;
  /** Error codes by rejected action. */
  readonly errors?: Readonly<Record<string, (members: SoapCall['members']) => number | undefined>>;
  readonly errorText?: string;
  /** Actions with another response or none. */
  readonly hangs?: Readonly<Record<string, (response: ServerResponse) => void>>;
  /** Owner of the requested mapping. */
  readonly owner?: string;
}

/** A router's UPnP side: responds to searches of the group and stores mappings. It runs in its own network namespace. */
export class FakeGateway {
  readonly searches: string[] = [];
  readonly calls: SoapCall[] = [];
  readonly mappings = new Map<string, SoapCall['members']>();
  private readonly server: Server;
  private readonly group: Socket;
  private readonly mouth: Socket;

  private constructor(private readonly behaviour: GatewayBehaviour) {
    this.server = createServer((request, response) => this.serve(request, response));
    this.group = createSocket({ type: 'udp4', reuseAddr: true });
    this.mouth = createSocket('udp4');
  }

  /** @param port 5000 is found by searching; any other must be configured */
  static async start(behaviour: GatewayBehaviour = {}, port = 5000): Promise<FakeGateway> {
    const gateway = new FakeGateway(behaviour);
    const { server, group, mouth } = gateway;
    await once(server.listen(port, GATEWAY), 'listening');
    if (port !== 5000) return gateway;
    mouth.bind(0, GATEWAY);
    await once(mouth, 'listening');
    group.bind(1900);
    await once(group, 'listening');
    group.addMembership('239.255.255.250', GATEWAY);
    group.on('message', (message, { address, port }) => gateway.respond(message.toString(), port, address));
    return gateway;
  }

  async close(): Promise<void> {
    for (const socket of [this.group, this.mouth]) socket.close();
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private respond(search: string, port: number, host: string): void {
    this.searches.push(search);
    const target = /^ST: (.*)$/im.exec(search)?.[1]?.trim() ?? '';
    const location = this.behaviour.location ?? `http://${GATEWAY}:5000/rootDesc.xml`;
    const lines = ['HTTP/1.1 200 OK', `ST: ${target}`, 'USN: uuid:1', 'EXT:', `LOCATION: ${location}`, '', ''];
    if (target.endsWith(':1') || target.endsWith(':2')) this.mouth.send(lines.join('\r\n'), port, host);
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => undefined);
    const { description, controlUrl = '/ctl/IPConn' } = this.behaviour;
    if (request.url === '/rootDesc.xml') {
      if (description !== undefined) return description(response, request);
      return void response.end(descriptionWith(controlUrl));
    }
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => this.act(body, response));
  }

  private act(body: string, response: ServerResponse): void {
    const action = /<u:(\w+)/.exec(body)?.[1] ?? '';
    const members = Object.fromEntries([...body.matchAll(/<(New\w+)>([^<]*)</g)].map(([, name, text]) => [name, text]));
    this.calls.push({ action, members: members as SoapCall['members'] });
    const hangs = this.behaviour.hangs?.[action];
    if (hangs !== undefined) return hangs(response);
    const error = this.behaviour.errors?.[action]?.(members as SoapCall['members']);
    if (error !== undefined) return this.refuse(error, response);
    const port = members['NewExternalPort'] ?? '';
    const { external = EXTERNAL, owner } = this.behaviour;
    if (action === 'GetExternalIPAddress') return reply(response, action, { NewExternalIPAddress: external });
    if (action === 'AddPortMapping') this.mappings.set(port, members as SoapCall['members']);
    if (action === 'DeletePortMapping') this.mappings.delete(port);
    if (action === 'GetSpecificPortMappingEntry') {
      const mapping = this.mappings.get(port);
      if (mapping === undefined) return this.refuse(714, response);
      const { NewInternalClient = '', NewInternalPort = '' } = mapping;
      return reply(response, action, { NewInternalClient: owner ?? NewInternalClient, NewInternalPort });
    }
    reply(response, action, {});
  }

  private refuse(code: number, response: ServerResponse): void {
    response.statusCode = 500;
    const fault =
      `<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail>` +
      `<UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>${String(code)}</errorCode>` +
      `<errorDescription>${this.behaviour.errorText ?? 'No'}</errorDescription></UPnPError></detail></s:Fault>`;
    response.end(envelope(fault));
  }
}

export function descriptionWith(controlUrl: string): string {
  return `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><device>
<deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType><deviceList><device>
<deviceType>urn:schemas-upnp-org:device:WANDevice:1</deviceType><deviceList><device>
<deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:1</deviceType><serviceList><service>
<serviceType>${SERVICE}</serviceType><serviceId>urn:upnp-org:serviceId:WANIPConn1</serviceId>
<controlURL>${controlUrl}</controlURL><eventSubURL>/evt</eventSubURL><SCPDURL>/WANIPCn.xml</SCPDURL>
</service></serviceList></device></deviceList></device></deviceList></device></root>`;
}

function reply(response: ServerResponse, action: string, members: Readonly<Record<string, string>>): void {
  const inner = Object.entries(members).map(([name, text]) => `<${name}>${text}</${name}>`);
  response.end(envelope(`<u:${action}Response xmlns:u="${SERVICE}">${inner.join('')}</u:${action}Response>`));
}

function envelope(body: string): string {
  return (
    `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" ` +
    `s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>${body}</s:Body></s:Envelope>`
  );
}
