import { NodeList, type NodeTimeouts } from '@wrkz/client';
import { type Network, toHex } from '@wrkz/core-types';
import { walletError } from '@wrkz/wallet-core';
import { readFailover } from './failover';

/** The node of a request, as it is told again. */
export interface NodeChoice {
  readonly daemonHost: string;
  readonly daemonPort: number;
  readonly daemonSSL: boolean;
}

/** The members of a request; what is left out has its default. */
export interface NodeMembers {
  readonly daemonHost?: string | undefined;
  readonly daemonPort?: number | undefined;
  readonly daemonSSL?: boolean | undefined;
}

/** What the operator has said of nodes. */
export interface NodeSettings {
  readonly network: Network;
  /** `--daemon-failover`. */
  readonly failover: readonly string[];
  readonly token: string | undefined;
  readonly timeouts?: Partial<NodeTimeouts> | undefined;
}

const LOCAL_NODE = '127.0.0.1';

export function nodeChoice(members: NodeMembers, { network }: Pick<NodeSettings, 'network'>): NodeChoice {
  return {
    daemonHost: members.daemonHost ?? LOCAL_NODE,
    daemonPort: members.daemonPort ?? network.ports.rpc,
    daemonSSL: members.daemonSSL ?? false,
  };
}

/** The node of a request, and behind it those of `--daemon-failover`. @throws WalletError 30 for an address that names none */
export function nodeList(choice: NodeChoice, { network, failover, token, timeouts }: NodeSettings): NodeList {
  const chosen = { host: choice.daemonHost, port: choice.daemonPort, ssl: choice.daemonSSL, token };
  const others = failover.flatMap((text) => {
    const place = readFailover(text);
    return place === undefined ? [] : [{ ...place, ssl: false, token }];
  });
  try {
    return new NodeList([chosen, ...others], { genesisHash: toHex(network.genesis.hash), timeouts });
  } catch (error) {
    if (error instanceof RangeError) throw walletError.daemonOffline();
    throw error;
  }
}
