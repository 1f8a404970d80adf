import type { IncomingMessage } from 'node:http';
import { isLoopback, LOCAL_SOCKET } from './client-address';
import { type HttpError, refusal } from './errors';
import { listenerOf } from './listener-kind';

export interface ForeignCallerRules {
  /** Names, besides those of this machine, that requests to a loopback listener may be addressed to; `*`: any. */
  readonly allowedHosts: readonly string[];
  /** The origin whose pages may ask, as CORS tells it; `*`: all. */
  readonly origin?: string | undefined;
}

/**
 * Looks for web pages of strangers among those who ask a loopback listener. A page that the operator's browser shows
 * reaches whatever listens on the operator's machine: by its own requests, which carry an Origin, and when its name is made
 * to stand for 127.0.0.1, by requests whose Host is that name. A listener that other machines reach has nothing to lose by
 * them, and a socket file is out of a browser's reach.
 *
 * @returns the refusal, 403, or undefined
 */
export function foreignCallerCheck(rules: ForeignCallerRules): (request: IncomingMessage) => HttpError | undefined {
  const hosts = new Set(rules.allowedHosts.map((name) => name.toLowerCase()));
  const isOwnHost = (name: string): boolean => name === 'localhost' || isLoopbackAddress(name) || hosts.has(name);
  return (request) => {
    if (listenerOf(request) !== 'loopback') return undefined;
    const { host, origin } = request.headers;
    if (host !== undefined && !hosts.has('*') && !isOwnHost(hostName(host))) return refusal('foreign_host');
    if (origin !== undefined && !isAllowedOrigin(origin, rules.origin) && !isSameOrigin(origin, host))
      return refusal('foreign_origin');
    return undefined;
  };
}

/** Whether CORS lets the pages of an origin read answers. */
export function isAllowedOrigin(origin: string, allowed: string | undefined): boolean {
  return allowed === '*' || (origin !== '' && origin === allowed);
}

/** The page comes from where it asks, so it is the program's own. */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && /^https?:\/\/(.*)$/.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
}

/** The word that stands for a local socket is a name like any other here. */
const isLoopbackAddress = (name: string): boolean => name !== LOCAL_SOCKET && isLoopback(name);

/** Host without port and brackets: `[::1]:80` is `::1`. */
function hostName(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim().toLowerCase()) ?? [];
  return bracketed ?? plain.replace(/\.$/, '');
}
