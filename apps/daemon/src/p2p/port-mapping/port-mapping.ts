import { isLoopback, type Logger } from '@wrkz/service-kit';
import type { DaemonConfig } from '../../config/config';
import type { P2pNode } from '../node';
import type { P2pClock, P2pLogger, Timer } from '../ports';
import { addressKey, type PeerAddress } from '../addresses';
import { systemClock } from '../clock';
import { reportRejection } from '../report-errors';
import {
  type Gateway,
  type MappedPorts,
  type MappingOutcome,
  runInThread,
  type RunningTask,
  type RunTask,
} from './task';

/** Milliseconds between renewals, a third of the requested lease; also between searches for a gateway. */
const RENEWAL = 1_200_000;
/** Timeouts in milliseconds: search and request, which run in the background, and the removal during a stop. */
const TIMEOUTS_MS = { map: 8_000, stop: 3_000 };

export interface PortMappingDependencies {
  /** The address of the peer listener. */
  readonly bindHost: string;
  readonly ports: MappedPorts;
  readonly logger: P2pLogger;
  readonly clock?: P2pClock;
  readonly run?: RunTask;
  readonly timeouts?: typeof TIMEOUTS_MS;
  /** The external address and port of this node; undefined after the mapping was lost. */
  readonly onMapped: (address: PeerAddress | undefined) => void;
}

/**
 * Maintains a UPnP port mapping from the router to the peer port of this machine while the node runs. It works in the
 * background: a slow, silent or hostile router delays nothing else.
 */
export class PortMapping {
  private readonly clock: P2pClock;
  private readonly run: RunTask;
  private readonly timeouts: typeof TIMEOUTS_MS;
  private timer: Timer | undefined;
  private running: RunningTask | undefined;
  /** The gateway of the last request; it may forward the port to this machine. */
  private gateway: Gateway | undefined;
  private mapped = false;
  /** Whether the gateway only supports permanent mappings. */
  private permanent = false;
  private lastLine = '';
  private stopped = false;

  constructor(private readonly dependencies: PortMappingDependencies) {
    this.clock = dependencies.clock ?? systemClock;
    this.run = dependencies.run ?? runInThread;
    this.timeouts = dependencies.timeouts ?? TIMEOUTS_MS;
  }

  /** Starts the work in the background and logs its results. */
  start(): void {
    this.dependencies.logger.info('Attempting to add IGD port mapping.');
    this.timer = this.clock.every(RENEWAL, () => this.renew());
    this.renew();
  }

  /** Removes the mapping. Waits at most three seconds for the gateway. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timer?.cancel();
    const { running } = this;
    if (running !== undefined) {
      running.terminate();
      await running.outcome;
      this.gateway = running.gateway() ?? this.gateway;
    }
    if (this.gateway === undefined) return;
    const { ports } = this.dependencies;
    this.logRemoval(await this.run({ kind: 'unmap', gateway: this.gateway, ports }, this.timeouts.stop).outcome);
    this.gateway = undefined;
  }

  private renew(): void {
    if (this.running !== undefined) return;
    reportRejection(this.dependencies.logger, 'the port mapping', this.map());
  }

  private async map(): Promise<void> {
    const renewed = this.mapped ? await this.attempt(this.gateway) : undefined;
    const outcome = renewed?.kind === 'mapped' || this.stopped ? renewed : await this.attempt(undefined);
    if (this.stopped) return;
    const { onMapped, ports } = this.dependencies;
    this.mapped = outcome?.kind === 'mapped';
    if (outcome?.kind === 'mapped') this.permanent = outcome.seconds === 0;
    onMapped(outcome?.kind === 'mapped' ? { host: outcome.externalHost, port: ports.outside } : undefined);
    this.logOutcome(outcome);
  }

  private async attempt(gateway: Gateway | undefined): Promise<MappingOutcome | undefined> {
    const { bindHost, ports } = this.dependencies;
    const running = this.run({ kind: 'map', gateway, bindHost, ports }, this.timeouts.map);
    this.running = running;
    const outcome = await running.outcome;
    this.running = undefined;
    this.gateway = running.gateway() ?? this.gateway;
    return outcome;
  }

  /** Logs the outcome unless the line is identical to the last one. */
  private logOutcome(outcome: MappingOutcome | undefined): void {
    const { logger, ports } = this.dependencies;
    const { level, line } = describeOutcome(outcome, ports);
    if (line === this.lastLine) return;
    this.lastLine = line;
    logger[level](line);
  }

  private logRemoval(outcome: MappingOutcome | undefined): void {
    const { logger, ports } = this.dependencies;
    if (outcome?.kind === 'removed') {
      logger.info(outcome.wasOurs ? 'Removed IGD port mapping.' : 'The IGD port mapping was already removed.');
      return;
    }
    const why = outcome?.kind === 'refused' ? outcome.why : 'it did not respond in time';
    const port = String(ports.outside);
    const until = this.permanent ? 'remove it in the router' : 'it expires within an hour';
    logger.warning(`the IGD port mapping of port ${port} could not be removed: ${why}; ${until}`);
  }
}

function describeOutcome(
  outcome: MappingOutcome | undefined,
  { outside, inside }: MappedPorts,
): { readonly level: 'info' | 'warning'; readonly line: string } {
  const port = String(outside);
  const failed = `UPnP port mapping of port ${port} failed`;
  switch (outcome?.kind) {
    case 'mapped': {
      const [from, to] = [
        addressKey({ host: outcome.externalHost, port: outside }),
        addressKey({ host: outcome.gateway.client, port: inside }),
      ];
      return { level: 'info', line: `Added IGD port mapping: ${from} is forwarded to ${to}` };
    }
    case 'none':
      return {
        level: 'info',
        line: `No IGD was found. To accept incoming connections behind a router, forward port ${port} there`,
      };
    case 'unfit':
      return { level: 'info', line: `IGD was found, but ${outcome.why}: port ${port} is not forwarded` };
    case 'refused':
      return { level: 'warning', line: `${failed}: ${new URL(outcome.gateway.location).host}: ${outcome.why}` };
    default:
      return { level: 'warning', line: `${failed}: the gateway did not respond in time` };
  }
}

/**
 * Whether to request a port mapping. Only networks that enable it do, so that nodes of test networks never send multicast
 * datagrams. A node that hides its port, accepts no incoming peers or listens on loopback needs no mapping. Routers map
 * only IPv4.
 */
export function mapsPort({ network, options }: Pick<DaemonConfig, 'network' | 'options'>): boolean {
  const bindHost = options['p2p-bind-ip'];
  if (
    !network.usesUpnp ||
    options['no-upnp'] ||
    options.proxy !== '' ||
    options['hide-my-port'] ||
    options['in-peers'] === 0
  )
    return false;
  return !isLoopback(bindHost) && (bindHost === '::' || !bindHost.includes(':'));
}

/** Starts the port mapping for the peer listener if it is enabled. */
export function startPortMapping(config: DaemonConfig, peers: P2pNode, logger: Logger): PortMapping | undefined {
  if (!mapsPort(config)) return undefined;
  const mapping = new PortMapping({
    bindHost: config.options['p2p-bind-ip'],
    ports: { outside: peers.announcedPort, inside: peers.port },
    logger,
    onMapped: (address) => peers.isMappedTo(address),
  });
  mapping.start();
  return mapping;
}
