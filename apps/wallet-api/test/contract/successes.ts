import type { ServiceResponse } from '../support/service';
import { knownWallet, type Place } from './world';

/** A request that succeeds. */
export interface Success {
  /** Method and declared path. */
  readonly route: string;
  readonly at: Place;
  /** Values of the path parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Stores values of the response that later requests use. */
  readonly note?: (response: Record<string, unknown>) => void;
}

/** Hash and payment id of a transaction that alice's wallet sent. */
const SENT = 'af457eac540ce2860d1e2ab37354d54d68748a19e85bfede088aa30d19654469';
const PAYMENT_ID = '874dbf9b59a3ff93ae4fa30a9fc8e4c7a7ab684d4cfa838f45b043f22aa6f7a0';
const ANY_KEY = '9d5fec5902a5e27fe9f958dfc83bd64c7c550a53fa0b984d32208b7657a3610b';
const ANY_POINT = '86a95ca954783115ee9bd3733b07092108e8141076005cee8cde193ba88dd0bd';

export const jsonOf = ({ text }: ServiceResponse): Record<string, unknown> =>
  (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;

/** A successful request to every route; the order matters. */
export function* successes(nodePort: number): Generator<Success> {
  const [alice, bob] = [knownWallet('alice'), knownWallet('bob')];
  const node = { daemonPort: nodePort };
  const file = { password: 'pw', ...node };
  const [full, view, closed] = ['full', 'view', 'closed'] as const;
  let found = '';
  const note = (member: string) => (response: Record<string, unknown>) => void (found = String(response[member]));
  const noteFirstHash = ({ transactions }: Record<string, unknown>): void => {
    found = (transactions as { hash: string }[])[0]?.hash ?? '';
  };
  const address = { address: alice.address };
  const send = { destination: bob.address, amount: 1000 };
  const advanced = { destinations: [{ address: bob.address, amount: 1000 }], mixin: 1, feePerByte: 1.5 };

  for (const path of [
    '/livez',
    '/readyz',
    '/openapi.json',
    '/docs',
    '/metrics',
    '/status',
    '/node',
    '/keys',
    '/addresses',
  ])
    yield { route: `GET ${path}`, at: full };
  for (const path of ['/addresses/primary', '/balance', '/balances', '/transactions/unconfirmed'])
    yield { route: `GET ${path}`, at: full };
  yield { route: 'GET /transactions', at: full, query: '?limit=3' };
  yield { route: 'GET /transactions/export', at: full, query: '?format=json' };
  yield { route: 'GET /transactions/paymentid', at: full };
  yield { route: 'GET /keys/{address}', at: full, path: address };
  yield { route: 'GET /keys/mnemonic/{address}', at: full, path: address };
  yield { route: 'GET /balance/{address}', at: full, path: address };
  yield { route: 'GET /addresses/{address}/{paymentId}', at: full, path: { ...address, paymentId: '00'.repeat(8) } };
  yield { route: 'GET /transactions/unconfirmed/{address}', at: full, path: address };
  yield { route: 'GET /transactions/{startHeight}', at: full, path: { startHeight: '40' } };
  yield {
    route: 'GET /transactions/{startHeight}/{endHeight}',
    at: full,
    path: { startHeight: '00040', endHeight: '60' },
  };
  const listing = 'GET /transactions/address/{address}/{startHeight}';
  yield { route: listing, at: full, path: { ...address, startHeight: '40' } };
  yield { route: `${listing}/{endHeight}`, at: full, path: { ...address, startHeight: '40', endHeight: '60' } };
  yield { route: 'GET /transactions/privatekey/{hash}', at: full, path: { hash: SENT } };
  yield { route: 'GET /transactions/hash/{hash}', at: full, path: { hash: SENT.toUpperCase() } };
  yield { route: 'GET /transactions/paymentid/{hash}', at: full, path: { hash: PAYMENT_ID } };
  yield { route: 'POST /addresses/validate', at: closed, body: { address: bob.address } };
  yield { route: 'POST /export/json', at: full, body: { filename: 'plain.json' } };

  yield { route: 'POST /backup', at: full, body: { file: 'backup' } };

  yield { route: 'POST /transactions/estimate', at: full, body: advanced };
  yield { route: 'POST /transactions/estimate/sweep', at: full, body: send };
  yield { route: 'POST /transactions/prepare/basic', at: full, body: send, note: note('transactionHash') };
  yield { route: 'DELETE /transactions/prepared/{hash}', at: full, path: { hash: found } };
  yield { route: 'POST /transactions/prepare/advanced', at: full, body: advanced, note: note('transactionHash') };
  yield { route: 'POST /transactions/send/prepared', at: full, body: { transactionHash: found } };
  yield { route: 'POST /transactions/send/basic', at: full, body: send };
  yield { route: 'POST /transactions/send/advanced', at: full, body: advanced };
  yield { route: 'POST /transactions/send/sweep', at: full, body: send };
  yield { route: 'GET /transactions/unconfirmed', at: full, note: noteFirstHash };
  yield { route: 'DELETE /transactions/pending/{hash}', at: full, path: { hash: found } };
  yield { route: 'PUT /labels/{subject}', at: full, path: { subject: bob.address }, body: { text: 'Bob' } };
  yield { route: 'GET /labels', at: full };
  yield { route: 'DELETE /labels/{subject}', at: full, path: { subject: bob.address } };
  yield { route: 'POST /sends/pause', at: full, body: { reason: 'maintenance' } };
  yield { route: 'POST /sends/resume', at: full };

  yield { route: 'POST /addresses/create', at: full, note: note('address') };
  yield { route: 'DELETE /addresses/{address}', at: full, path: { address: found } };
  yield { route: 'POST /addresses/import', at: full, body: { privateSpendKey: ANY_KEY, scanHeight: 720 } };
  yield { route: 'POST /addresses/import/deterministic', at: full, body: { walletIndex: 7, scanHeight: 720 } };
  yield { route: 'POST /addresses/import/view', at: view, body: { publicSpendKey: ANY_POINT, scanHeight: 720 } };
  yield { route: 'PUT /node', at: full, body: { daemonHost: 'localhost', ...node, daemonSSL: false } };
  yield { route: 'PUT /sync/refresh', at: full };
  yield { route: 'PUT /save', at: full };
  yield { route: 'PUT /wallet/password', at: full, body: { password: 'secret_alice', newPassword: 'another' } };

  const close = { route: 'DELETE /wallet', at: closed } as const;
  yield {
    route: 'POST /wallet/open',
    at: closed,
    body: { filename: 'carol.wallet', ...file, password: 'secret_carol' },
  };
  yield close;
  yield { route: 'POST /wallet/create', at: closed, body: { filename: 'created', ...file } };
  yield { route: 'POST /transactions/send/sweep/all', at: closed, body: { destination: bob.address } };
  yield close;
  const { privateViewKey, privateSpendKey, mnemonic: mnemonicSeed } = alice;
  const keys = { privateViewKey, privateSpendKey };
  yield { route: 'POST /wallet/import/key', at: closed, body: { filename: 'keys', ...file, ...keys, scanHeight: 700 } };
  yield close;
  yield { route: 'POST /wallet/import/seed', at: closed, body: { filename: 'seed', ...file, mnemonicSeed } };
  yield close;
  const watched = { privateViewKey, ...address };
  yield { route: 'POST /wallet/import/view', at: closed, body: { filename: 'view', ...file, ...watched } };
  yield close;
  yield { route: 'PUT /reset', at: full, body: { scanHeight: 700 } };
}
