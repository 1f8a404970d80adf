/** Addresses and keys of a running devnet. */
export interface DevnetAddresses {
  /** RPC URLs of the three nodes. */
  readonly nodes: readonly string[];
  /** P2P addresses of the nodes, host:port. */
  readonly peers: readonly string[];
  /** Stratum address of node 1, host:port. */
  readonly stratum: string;
  readonly helper: string;
  readonly walletApi: string;
  readonly walletRpc: string;
  readonly proposals: string;
  readonly apiKey: string;
  readonly rpcPassword: string;
  /** Address of the wallet behind wallet-api. */
  readonly alice: string;
  /** Address of the wallet behind wallet-rpc. */
  readonly bob: string;
  /** Address of the first proposal: an integrated address of alice's wallet. */
  readonly donation: string;
}

export interface CurlCommand {
  readonly title: string;
  readonly command: string;
}

/** Ten shell commands, in an order in which all of them work. */
export function curlCommands(devnet: DevnetAddresses): CurlCommand[] {
  const { nodes, helper, walletApi, walletRpc, proposals, apiKey, rpcPassword, alice, bob, donation } = devnet;
  const [node1 = '', , node3 = ''] = nodes;
  const post = (url: string, body: object): string => `curl -s ${url} -d '${JSON.stringify(body)}'`;
  const api = (path: string): string => `curl -s -H 'X-API-KEY: ${apiKey}' ${walletApi}${path}`;
  const rpc = (method: string, params: object): string =>
    post(walletRpc, { id: 1, method, params, password: rpcPassword });
  const payment = JSON.stringify({ destination: bob, amount: 12345 });
  const newest = { jsonrpc: '2.0', id: 1, method: 'getlastblockheader' };
  const generate = { jsonrpc: '2.0', id: 1, method: 'generateblocks', params: { wallet_address: alice, count: 1 } };
  return [
    { title: 'State of node 1', command: `curl -s ${node1}/info` },
    { title: 'Newest block of node 3', command: post(`${node3}/json_rpc`, newest) },
    { title: 'Synchronization of the wallet of alice', command: api('/status') },
    { title: 'Balance of alice, in atomic units (100 are 1.00 WRKZ)', command: api('/balance') },
    { title: 'Alice pays 123.45 WRKZ to bob', command: `${api('/transactions/send/basic')} -d '${payment}'` },
    { title: 'Jobs of the proof-of-work helper', command: `curl -s ${helper}/stats` },
    { title: 'Mine a block, which confirms the payment', command: post(`${node1}/json_rpc`, generate) },
    { title: 'Balance of bob', command: rpc('getBalance', {}) },
    {
      title: 'Bob donates 50.00 WRKZ to the first proposal',
      command: rpc('sendTransaction', { transfers: [{ address: donation, amount: 5000 }], changeAddress: bob }),
    },
    { title: 'Proposals and their funding', command: `curl -s '${proposals}/api/1/proposals?status=2'` },
  ];
}
