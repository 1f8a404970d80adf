import type { Network } from '@wrkz/core-types';
import { isLoopback } from '@wrkz/service-kit';

/** The endpoint without `--zmq-pub`. */
export function defaultZmqEndpoint({ ports }: Pick<Network, 'ports'>): string {
  return `tcp://127.0.0.1:${String(ports.zmq)}`;
}

/** Where the publisher listens. */
export type ZmqEndpoint =
  | { readonly kind: 'tcp'; readonly text: string; readonly loopback: boolean }
  | { readonly kind: 'ipc'; readonly text: string; readonly path: string };

/** `tcp://host:port` (`*` for every address or any free port) or `ipc://path`; undefined for anything else. */
export function parseZmqEndpoint(text: string): ZmqEndpoint | undefined {
  const tcp = /^tcp:\/\/(\[[^\]]+\]|[^:[\]/]+):(\d{1,5}|\*)$/.exec(text);
  if (tcp !== null) {
    const [, host = '', port = ''] = tcp;
    if (port !== '*' && Number(port) > 65_535) return undefined;
    return { kind: 'tcp', text, loopback: isLoopback(host.replace(/^\[|\]$/g, '')) };
  }
  const ipc = /^ipc:\/\/([^@].*)$/.exec(text);
  return ipc === null ? undefined : { kind: 'ipc', text, path: ipc[1] ?? '' };
}

/** What is wrong with an endpoint given as an option; an empty one publishes nothing. */
export function checkEndpoint(text: string): string | undefined {
  if (text === '' || parseZmqEndpoint(text) !== undefined) return undefined;
  return 'tcp://address:port or ipc://path is expected, or nothing';
}
