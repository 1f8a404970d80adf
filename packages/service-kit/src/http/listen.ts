import { createServer, type Server } from 'node:net';
import { endpointText } from '../addresses';
import { errorCode, errorText } from '../error-text';

/** Where a server listens. The failure of a listener that is not required is a warning only. */
export interface ListenAddress {
  /** `::` alone takes IPv4 as well; beside an IPv4 listener it takes IPv6 alone. */
  readonly host: string;
  readonly port: number;
  readonly required?: boolean;
  /** The name of the option that sets the port, without dashes: reported when the port is in use. */
  readonly portOption?: string;
}

/** The text of an error of `listen`. If the address is in use, it names the option (without dashes) that changes it. */
export function listenErrorText(error: unknown, option: string | undefined): string {
  const isInUse = errorCode(error) === 'EADDRINUSE' && option !== undefined;
  return isInUse ? `${errorText(error)}. Choose another with --${option}` : errorText(error);
}

/**
 * @param besideIpv4 an IPv6 listener that stands beside an IPv4 one on the same port must not take IPv4, too
 * @throws Error with a message for the operator
 */
export function listenOn(server: Server, address: ListenAddress, besideIpv4: boolean): Promise<void> {
  const { host, port, portOption } = address;
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => {
      const text = `cannot listen on ${endpointText(address)}: ${listenErrorText(error, portOption)}`;
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
