import type { DaemonConfig } from '../../config/config';
import type { RpcServerOptions } from '../../rpc/server';
import type { TopicStream } from '../topics';
import { WebSocketHub, type WebSocketHubOptions } from './hub';
import { webSocketRoute } from './route';

export interface WebSocketService {
  readonly hub: WebSocketHub;
  /** What the RPC needs to know of it. */
  readonly rpc: Pick<RpcServerOptions, 'upgrade' | 'moreRoutes'>;
}

/** The stream as the options want it; undefined when it is switched off. */
export function startWebSocket(
  { options }: Pick<DaemonConfig, 'options'>,
  topics: TopicStream,
  tip: WebSocketHubOptions['tip'],
): WebSocketService | undefined {
  if (!options['enable-websocket']) return undefined;
  const hub = new WebSocketHub({
    maxClients: options['ws-max-clients'],
    maxClientsPerAddress: options['ws-max-clients-per-ip'],
    topics,
    tip,
  });
  return { hub, rpc: { upgrade: (guard) => hub.listener(guard), moreRoutes: [webSocketRoute] } };
}
