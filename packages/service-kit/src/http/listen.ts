import { createServer, type Server } from 'node:net';
import { endpointText } from '../addresses';
import { errorCode, errorText } from '../error-text';

/** Where a server listens. The failure of a listener that is not required is a warning only. */
export interface ListenAddress {
  /** `::` alone takes IPv4 as well; beside an IPv4 listener it takes IPv6 alone. */
  readonly host: string;
  readonly port: number;
  readonly required?: boolean;
  /** Name of the option that sets the port, for the error message when the port is in use. */
  readonly portOption?: string;
}

/**
 * @param besideIpv4 an IPv6 listener that stands beside an IPv4 one on the same port must not take IPv4, too
 * @throws Error with a message for the operator
 */
export function listenOn(
  server: Server,
  { host, port, portOption }: ListenAddress,
  besideIpv4: boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      const isInUse = errorCode(error) === 'EADDRINUSE';
      const advice = isInUse && portOption !== undefined ? `. Choose another port with --${portOption}.` : '';
      const text = `cannot listen on ${endpointText({ host, port })}: ${errorText(error)}${advice}`;
      reject(new Error(text, { cause: error }));
    };
    server.once('error', refuse);
    server.listen({ host, port, ipv6Only: besideIpv4 && host.includes(':') }, () => {
      server.removeListener('error', refuse);
      resolve();
    });
  });
}

/** Whether one of several listeners takes IPv4 alone. */
export function hasIpv4(listen: readonly ListenAddress[]): boolean {
  return listen.some(({ host }) => !host.includes(':'));
}

/**
 * Takes each required address for a moment. A program asks this before it creates or opens anything: started a second time
 * by mistake, it must leave no folder, file or lock behind.
 *
 * @throws Error with a message for the operator when an address cannot be had
 */
export async function assertPortsFree(listen: readonly ListenAddress[]): Promise<void> {
  for (const address of listen) {
    if (address.required === false) continue;
    const server = createServer();
    await listenOn(server, address, hasIpv4(listen));
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
