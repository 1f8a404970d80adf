import { NodeList, type NodeTimeouts } from '@wrkz/client';
import { chainIdentity, type Network } from '@wrkz/core-types';
import { walletError } from '@wrkz/wallet-core';

/** A node with all defaults filled in, as GET /node returns it. */
export interface NodeChoice {
  readonly daemonHost: string;
  readonly daemonPort: number;
  readonly daemonSSL: boolean;
}

export interface NodeFields {
  readonly daemonHost?: string | undefined;
  readonly daemonPort?: number | undefined;
  readonly daemonSSL?: boolean | undefined;
}

export interface WalletNodeOptions {
  readonly network: Network;
  readonly failover: readonly string[];
  /** Access token for every node. */
  readonly token: string | undefined;
  readonly timeouts?: Partial<NodeTimeouts> | undefined;
}

const DEFAULT_HOST = '127.0.0.1';

export function nodeChoice(fields: NodeFields, { network }: Pick<WalletNodeOptions, 'network'>): NodeChoice {
  return {
    daemonHost: fields.daemonHost ?? DEFAULT_HOST,
    daemonPort: fields.daemonPort ?? network.ports.rpc,
    daemonSSL: fields.daemonSSL ?? false,
  };
}

/**
 * The chosen node followed by the failover nodes in their order.
 * @throws WalletError daemonOffline for an invalid address
 */
export function nodeList(choice: NodeChoice, { network, failover, token, timeouts }: WalletNodeOptions): NodeList {
  const chosen = { host: choice.daemonHost, port: choice.daemonPort, ssl: choice.daemonSSL, token };
  const others = failover.flatMap((text) => {
    const address = parseNodeAddress(text);
    return address === undefined ? [] : [{ ...address, ssl: false, token }];
  });
  try {
    return new NodeList([chosen, ...others], { chain: chainIdentity(network.name), timeouts });
  } catch (error) {
    if (error instanceof RangeError) throw walletError.daemonOffline();
    throw error;
  }
}

/**
 * Parses `host:port`, `[address]:port`, or a local socket (`/path`, `@name`, `ipc://path`; port 0). A base path may follow the
 * host. Returns undefined for anything else.
 */
export function parseNodeAddress(text: string): { readonly host: string; readonly port: number } | undefined {
  const trimmed = text.trim();
  if (/^(?:ipc:\/\/|\/|@)./.test(trimmed)) return { host: trimmed, port: 0 };
  const parts = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@]+):(\d{1,5})(\/\S*)?$/.exec(trimmed);
  const port = Number(parts?.[2]);
  if (parts?.[1] === undefined || port < 1 || port > 65_535) return undefined;
  return { host: parts[1] + (parts[3] ?? ''), port };
}
