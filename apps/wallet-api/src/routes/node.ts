import { walletApi } from '@wrkz/api';
import { nodeChoice } from '@wrkz/wallet-server';
import { walletErrors } from '../errors';
import { access, declareWalletRoute, type WalletRoute } from './declare';

const getNode = declareWalletRoute({
  method: 'GET',
  path: '/node',
  summary: 'Returns the configured node.',
  description:
    'The node from the request that opened the wallet or from `PUT /node`. `GET /status` shows which node of the ' +
    'failover list is in use. Nodes no longer charge fees: `nodeAddress` is empty and `nodeFee` is 0.',
  ...access('read'),
  response: walletApi.nodeResponse,
  errors: [],
  handle: ({ wallets }) => ({ ...wallets.require().node, nodeAddress: '', nodeFee: 0 }),
});

const setNode = declareWalletRoute({
  method: 'PUT',
  path: '/node',
  summary: 'Switches to another node.',
  description:
    'The wallet continues at its current height. The response does not wait for the node; check `GET /status`. ' +
    'A send that waits for the old node is interrupted after two seconds. ' +
    'The nodes of `--daemon-failover` follow the new one in the list. `daemonPort` defaults to the RPC port of the ' +
    'network.',
  ...access('admin', { audit: 'set-node' }),
  body: walletApi.setNodeBody,
  response: walletApi.noContent,
  errors: walletErrors('daemonOffline'),
  handle: async ({ wallets, network, audit }, { body, http }) => {
    const node = nodeChoice(body, { network });
    audit?.note(http.request, { node: `${node.daemonHost}:${node.daemonPort}` });
    await wallets.setNode(node);
    return undefined;
  },
});

const refreshSync = declareWalletRoute({
  method: 'PUT',
  path: '/sync/refresh',
  summary: 'Reconnects to the node.',
  description:
    'Closes the connection, requests the state of the node and continues the synchronization. Use it when `GET ' +
    '/status` shows no progress.',
  ...access('admin'),
  response: walletApi.refreshResponse,
  errors: [],
  handle: ({ wallets }) =>
    wallets.withWallet(async ({ wallet, node }) => {
      await wallet.refresh();
      return { ...node, message: 'Wallet sync refresh triggered', status: 'OK' as const };
    }),
});

export const NODE_ROUTES: readonly WalletRoute[] = [getNode, setNode, refreshSync];
