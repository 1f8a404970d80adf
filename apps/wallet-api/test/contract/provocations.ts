import { decodeTagged, encodeTagged } from '@wrkz/core-types';
import { respondAsLiteNode, type StandInNode } from '@wrkz/testing';
import { knownWallet } from './world';

/** An error that no recorded request provokes, and a request that provokes it. */
export interface Provocation {
  readonly route: string;
  readonly code: number;
  readonly at?: 'full' | 'view' | 'closed';
  /** Values of the path parameters. */
  readonly path?: Readonly<Record<string, string>>;
  /** The text of the body. */
  readonly body?: string;
  /** Behaviour of the node during the request. */
  readonly node?: (node: StandInNode) => unknown;
  /** Whether a transaction is prepared first; its hash replaces `{hash}` in the body. */
  readonly prepares?: boolean;
}

const [alice, bob] = [knownWallet('alice'), knownWallet('bob')];

function damaged(text: string): string {
  return `${text.slice(0, 60)}${text[60] === 'a' ? 'b' : 'a'}${text.slice(61)}`;
}

/** A valid integrated address with this payment id. */
function integrated(paymentId: string): string {
  const { tag, data } = decodeTagged(bob.address);
  return encodeTagged(tag, Buffer.concat([Buffer.from(paymentId, 'latin1'), data]));
}

const SHORT_ID = '0123456789abcdef';
const WITH_ID = integrated(SHORT_ID);

/** Errors of a destination. */
const DESTINATIONS: readonly (readonly [number, string])[] = [
  [12, bob.address.slice(1)],
  [13, `X${bob.address.slice(1)}`],
  [14, damaged(WITH_ID)],
  [15, damaged(bob.address)],
  [16, integrated('not hex digits!!')],
];

const silent = (node: StandInNode): unknown => node.on('/getrandom_outs', () => ({ status: 503 }));
const withoutDecoys = (node: StandInNode): unknown =>
  node.on('/getrandom_outs', ({ body }) => ({
    json: { outs: (body['amounts'] as unknown[]).map((amount) => ({ amount, outs: [] })), status: 'OK' },
  }));
const unheard = (node: StandInNode): unknown => node.on('/sendrawtransaction', () => ({ status: 503 }));
const refusing = (node: StandInNode): unknown =>
  node.on('/sendrawtransaction', () => ({ json: { status: 'Failed', error: 'no' } }));
const breakingOff = (node: StandInNode): unknown =>
  node.on('/sendrawtransaction', () => (response) => void response.destroy());

/** Invalid fields of a send, and the code of each. Other fields are valid. */
const TERMS: readonly (readonly [number, object])[] = [
  [53, { extra: 'xyz' }],
  [18, { destinations: [] }],
  [19, { destinations: [{ address: bob.address, amount: 0 }] }],
  ...DESTINATIONS.map(([code, address]) => [code, { destinations: [{ address, amount: 1000 }] }] as const),
  [26, { destinations: [{ address: WITH_ID, amount: 1000 }], paymentID: 'ab'.repeat(8) }],
  [25, { sourceAddresses: [WITH_ID] }],
  [10, { changeAddress: bob.address }],
  [17, { fee: 1 }],
  [11, { destinations: [{ address: bob.address, amount: 10 ** 12 }] }],
  [21, { mixin: 0 }],
  [22, { mixin: 100 }],
  [23, { paymentID: '12' }],
  [24, { paymentID: 'g'.repeat(16) }],
  [60, { unlockTime: 1 }],
  [61, { destinations: [1, 2].map((amount) => ({ address: bob.address, amount })), paymentID: SHORT_ID }],
  [56, { destinations: Array.from({ length: 200 }, (_, i) => ({ address: bob.address, amount: 111_111 + i })) }],
  [31, { extra: 'ab'.repeat(2_000) }],
];

const GOOD = { destinations: [{ address: bob.address, amount: 1000 }] };
const BASIC = JSON.stringify({ destination: bob.address, amount: 1000 });
const OVERFLOWING = `{"destinations":[${[1, 2]
  .map(() => `{"address":"${bob.address}","amount":18446744073709551615}`)
  .join(',')}]}`;

function ofSends(route: string): Provocation[] {
  const body = JSON.stringify(GOOD);
  return [
    ...TERMS.map(([code, terms]) => ({ route, code, body: JSON.stringify({ ...GOOD, ...terms }) })),
    { route, code: 9, body: OVERFLOWING },
    { route, code: 30, body, node: silent },
    { route, code: 28, body, node: withoutDecoys },
  ];
}

function ofRelays(route: string, body: string, prepares = false): Provocation[] {
  const relayed = { route, body, prepares };
  return [
    { ...relayed, code: 30, node: unheard },
    { ...relayed, code: 31, node: refusing },
    { ...relayed, code: 55, node: breakingOff },
  ];
}

const sweepTerms: readonly (readonly [number, object])[] = [
  ...DESTINATIONS.map(([code, destination]) => [code, { destination }] as const),
  [26, { destination: WITH_ID, paymentID: 'ab'.repeat(8) }],
  [23, { destination: bob.address, paymentID: '12' }],
  [24, { destination: bob.address, paymentID: 'g'.repeat(16) }],
  [11, { destination: bob.address, amount: 10 ** 12 }],
];

function ofSweeps(route: string, codes: readonly number[]): Provocation[] {
  const wrong = sweepTerms.filter(([code]) => codes.includes(code));
  return wrong.map(([code, body]) => ({ route, code, body: JSON.stringify(body) }));
}

const FILE = { filename: 'n', password: 'pw' };
const KEYS = { privateViewKey: alice.privateViewKey, privateSpendKey: alice.privateSpendKey };
const WAYS: Readonly<Record<string, object>> = {
  'POST /wallet/open': { ...FILE, filename: 'carol.wallet', password: 'secret_carol' },
  'POST /wallet/create': FILE,
  'POST /wallet/import/key': { ...FILE, ...KEYS },
  'POST /wallet/import/seed': { ...FILE, mnemonicSeed: alice.mnemonic },
  'POST /wallet/import/view': { ...FILE, privateViewKey: alice.privateViewKey, address: alice.address },
};

export const PROVOCATIONS: readonly Provocation[] = [
  { route: 'POST /backup', code: 2, body: '{"file":"../outside"}' },
  { route: 'POST /backup', code: 8, body: '{"file":"alice.wallet"}' },
  { route: 'PUT /labels/{subject}', code: 15, path: { subject: damaged(bob.address) }, body: '{"text":"Bob"}' },
  { route: 'DELETE /labels/{subject}', code: 15, path: { subject: damaged(bob.address) } },
  ...Object.entries(WAYS).flatMap(([route, body]): Provocation[] => [
    { route, code: 30, at: 'closed', body: JSON.stringify({ ...body, daemonHost: 'no host at all' }) },
  ]),
  ...Object.entries(WAYS)
    .slice(3)
    .map(([route, body]): Provocation => {
      return { route, code: 2, at: 'closed', body: JSON.stringify({ ...body, filename: 'missing/n' }) };
    }),
  {
    route: 'POST /wallet/import/view',
    code: 25,
    at: 'closed',
    body: JSON.stringify({ ...WAYS['POST /wallet/import/view'], address: WITH_ID }),
  },
  { route: 'PUT /node', code: 30, body: '{"daemonHost":"no host at all"}' },
  { route: 'PUT /reset', code: 62, body: '{"scanHeight":0}', node: (node) => respondAsLiteNode(node, 500) },
  { route: 'POST /addresses/import/deterministic', code: 1001, body: '{"walletIndex":18446744073709551615}' },
  { route: 'POST /addresses/validate', code: 16, body: JSON.stringify({ address: integrated('not hex digits!!') }) },
  { route: 'PUT /wallet/password', code: 5, body: '{"password":"wrong","newPassword":"x"}' },
  ...['POST /transactions/prepare/advanced', 'POST /transactions/send/advanced', 'POST /transactions/estimate'].flatMap(
    ofSends,
  ),
  ...['POST /transactions/prepare/basic', 'POST /transactions/send/basic'].flatMap((route): Provocation[] => [
    { route, code: 16, body: JSON.stringify({ destination: integrated('not hex digits!!'), amount: 1 }) },
    { route, code: 28, body: BASIC, node: withoutDecoys },
  ]),
  ...ofRelays('POST /transactions/send/basic', BASIC),
  ...ofRelays('POST /transactions/send/advanced', JSON.stringify(GOOD)),
  ...ofRelays('POST /transactions/send/prepared', '{"transactionHash":"{hash}"}', true),
  ...ofSweeps('POST /transactions/estimate/sweep', [...DESTINATIONS.map(([code]) => code), 26, 23, 24, 11]),
  { route: 'POST /transactions/estimate/sweep', code: 30, body: BASIC, node: silent },
  { route: 'POST /transactions/estimate/sweep', code: 28, body: BASIC, node: withoutDecoys },
  ...['POST /transactions/send/sweep', 'POST /transactions/send/sweep/all'].flatMap((route) =>
    ofSweeps(route, [...DESTINATIONS.map(([code]) => code), 26, 23, 24]),
  ),
];

/** A request to each route that saves before its response: code 2 while the disk is full. */
export const SAVING: readonly Provocation[] = [
  { route: 'PUT /save', code: 2 },
  { route: 'POST /addresses/create', code: 2 },
  { route: 'POST /addresses/import', code: 2, body: `{"privateSpendKey":"${bob.privateSpendKey}","scanHeight":720}` },
  { route: 'POST /addresses/import/deterministic', code: 2, body: '{"walletIndex":9,"scanHeight":720}' },
  { route: 'POST /addresses/import/view', code: 2, at: 'view', body: `{"publicSpendKey":"{point}","scanHeight":720}` },
  { route: 'POST /transactions/send/basic', code: 2, body: BASIC },
  { route: 'POST /transactions/send/advanced', code: 2, body: JSON.stringify(GOOD) },
  { route: 'POST /transactions/send/prepared', code: 2, body: '{"transactionHash":"{hash}"}', prepares: true },
  { route: 'POST /transactions/prepare/basic', code: 2, body: BASIC },
  { route: 'POST /transactions/prepare/advanced', code: 2, body: JSON.stringify(GOOD) },
  { route: 'DELETE /transactions/prepared/{hash}', code: 2 },
  { route: 'PUT /wallet/password', code: 2, body: '{"password":"secret_alice","newPassword":"x"}' },
  { route: 'DELETE /addresses/{address}', code: 2 },
  { route: 'PUT /reset', code: 2, body: '{"scanHeight":700}' },
  { route: 'DELETE /transactions/pending/{hash}', code: 2 },
  { route: 'POST /sends/pause', code: 2 },
  { route: 'PUT /labels/{subject}', code: 2, body: '{"text":"a"}' },
  { route: 'DELETE /labels/{subject}', code: 2 },
  { route: 'POST /sends/resume', code: 2 },
  { route: 'DELETE /wallet', code: 2, at: 'view' },
];

/** Codes that no request to an intact wallet provokes, or that other tests provoke, with the reason or the test. */
export const ELSEWHERE: readonly (readonly [name: RegExp, where: string])[] = [
  [/ (20|44|45)$/, 'transactions of an intact wallet pass its self-check: wallet-core/test/transaction'],
  [/ 10(05|07|08|09|11|12)$/, 'contract/states.test.ts requests every route that declares them'],
  [/ 1006$/, 'a key of a given-up transaction: idempotency.test.ts'],
  [/ 1010$/, 'on mainnet only: wallet-core/test'],
  [/ 100[234]$/, 'idempotency.test.ts and scoped-keys.test.ts'],
  [/(create|import\/\w+) 1000$/, 'a missing file that is locked: wallet-core/test/container'],
  [/create 1001$/, 'after 2^24 addresses: wallet-core/test/keys'],
  [/open (6|1000)$/, 'files of another version, and files in use: wallet-core/test/container'],
  [/import\/seed 7$/, 'words with a correct checksum that are not a key: wallet-core/test/keys'],
  [/ 32$/, 'more inputs than a transaction can have: wallet-core/test/transaction'],
  [/(prepare\/basic|estimate\/sweep|sweep|sweep\/all) 31$/, 'outputs without an index: wallet-core/test/transaction'],
  [/send\/sweep(\/all)? (11|28|30|56)$/, 'entries of sweeps: wallet-core/test/transaction'],
];
