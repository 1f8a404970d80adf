/** The used part of the service client of npm `turtlecoin-rpc`; amounts of its responses are whole coins. */
export interface TurtleClient {
  createAddress(): Promise<string>;
  getAddresses(): Promise<string[]>;
  getBalance(options?: { address?: string }): Promise<{ availableBalance: number; lockedAmount: number }>;
  getStatus(): Promise<{ blockCount: number }>;
  newTransfer(address: string, amount: number): { address: string; amount: number };
  sendTransaction(options: object): Promise<string | { transactionHash: string }>;
  _postToWalletd<T>(method: string, params: object): Promise<T>;
  getDelayedTransactionHashes(): Promise<{ transactionHashes: string[] }>;
  sendDelayedTransaction(options: { transactionHash: string }): Promise<unknown>;
  getTransactions(options: object): Promise<{ transactionHash: string }[]>;
  getTransaction(options: { transactionHash: string }): Promise<{ transactionHash: string; amount: number }>;
}

interface TurtleModule {
  readonly Service?: TurtleConstructor;
  readonly Walletd?: TurtleConstructor;
}

type TurtleConstructor = new (options: object) => TurtleClient;

/** The client of older integrations, which has no types. */
export function turtleClient(port: number, rpcPassword: string): TurtleClient {
  const module = jest.requireActual<TurtleModule>('turtlecoin-rpc');
  const Client = module.Service ?? module.Walletd;
  if (Client === undefined) throw new Error('turtlecoin-rpc has no client of a wallet service');
  return new Client({ host: '127.0.0.1', port, rpcPassword, timeout: 60_000, defaultMixin: 1, decimalDivisor: 100 });
}
