/* The HTTP routes of the wallet with their codes, as data. The tests compare the declarations with these tables. */

export interface ReferenceRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly wallet: 'open' | 'closed' | 'any';
  readonly viewWallet: boolean;
  /** Required and optional fields of the body. */
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly success: 200 | 201;
  /** Error codes of responses; for sweeps, of their entries. */
  readonly codes: readonly number[];
}

type Rest = Partial<Omit<ReferenceRoute, 'method' | 'path'>>;

function route(name: string, rest: Rest = {}): ReferenceRoute {
  const [method, path] = name.split(' ') as [ReferenceRoute['method'], string];
  const defaults = { wallet: 'open', viewWallet: true, required: [], optional: [], success: 200, codes: [] } as const;
  const { codes = [], ...others } = rest;
  const whole = { method, path, ...defaults, ...others };
  return { ...whole, codes: whole.viewWallet ? codes : [39, ...codes] };
}

const NODE = ['daemonHost', 'daemonPort', 'daemonSSL'];
const NEW_FILE = { wallet: 'closed', required: ['filename', 'password'], optional: [...NODE, 'scanHeight'] } as const;
const ADDRESS = [12, 13, 14, 16, 15];
const BUILT = [31, 30, 28, 20, 32, 44, 45];
const BASIC = {
  viewWallet: false,
  required: ['destination', 'amount'],
  optional: ['paymentID'],
  success: 201,
  codes: [19, ...ADDRESS, 26, 11, 23, 24, ...BUILT],
} as const;
const ADVANCED = {
  viewWallet: false,
  required: ['destinations'],
  optional: [
    'mixin',
    'fee',
    'feePerByte',
    'sourceAddresses',
    'paymentID',
    'changeAddress',
    'unlockTime',
    'extra',
    'ringFallback',
  ],
  success: 201,
  codes: [53, 18, 19, ...ADDRESS, 26, 25, 10, 17, 9, 11, 21, 22, 23, 24, 60, 61, 56, ...BUILT],
} as const;
const SWEEP = {
  viewWallet: false,
  required: ['destination'],
  codes: [...ADDRESS, 26, 23, 24, 32, 11, 31, 30, 28, 56, 20, 44],
} as const;

/** The routes of the C++ program. */
export const REFERENCE_ROUTES: readonly ReferenceRoute[] = [
  route('POST /wallet/open', {
    wallet: 'closed',
    required: ['filename', 'password'],
    optional: NODE,
    codes: [1, 3, 4, 5, 6],
  }),
  route('POST /wallet/create', {
    wallet: 'closed',
    required: ['filename', 'password'],
    optional: NODE,
    codes: [8, 2],
  }),
  route('POST /wallet/import/key', {
    ...NEW_FILE,
    required: [...NEW_FILE.required, 'privateViewKey', 'privateSpendKey'],
    codes: [8, 2, 52],
  }),
  route('POST /wallet/import/seed', {
    ...NEW_FILE,
    required: [...NEW_FILE.required, 'mnemonicSeed'],
    codes: [8, 2, 34, 33, 35, 7, 52],
  }),
  route('POST /wallet/import/view', {
    ...NEW_FILE,
    required: [...NEW_FILE.required, 'privateViewKey', 'address'],
    codes: [8, 2, 52, 12, 13, 25, 15],
  }),
  route('DELETE /wallet'),
  route('PUT /save', { codes: [2] }),
  route('PUT /reset', { optional: ['scanHeight'], codes: [62] }),
  route('GET /node'),
  route('PUT /node', { required: ['daemonHost'], optional: ['daemonPort', 'daemonSSL'] }),
  route('PUT /sync/refresh'),
  route('POST /export/json', { required: ['filename'], codes: [2] }),
  route('GET /status'),
  route('GET /keys'),
  route('GET /keys/{address}', { viewWallet: false, codes: [15, 10] }),
  route('GET /keys/mnemonic/{address}', { viewWallet: false, codes: [15, 10, 41] }),
  route('POST /addresses/create', { viewWallet: false, success: 201 }),
  route('POST /addresses/import', {
    viewWallet: false,
    required: ['privateSpendKey'],
    optional: ['scanHeight'],
    success: 201,
    codes: [52, 38],
  }),
  route('POST /addresses/import/deterministic', {
    viewWallet: false,
    required: ['walletIndex'],
    optional: ['scanHeight'],
    success: 201,
    codes: [38],
  }),
  route('POST /addresses/import/view', {
    required: ['publicSpendKey'],
    optional: ['scanHeight'],
    success: 201,
    codes: [51, 40, 38],
  }),
  route('POST /addresses/validate', { wallet: 'any', required: ['address'], codes: ADDRESS }),
  route('DELETE /addresses/{address}', { codes: [15, 10, 42] }),
  route('GET /addresses'),
  route('GET /addresses/primary'),
  route('GET /addresses/{address}/{paymentId}', { codes: [15] }),
  route('POST /transactions/prepare/basic', BASIC),
  route('POST /transactions/send/basic', BASIC),
  route('POST /transactions/prepare/advanced', ADVANCED),
  route('POST /transactions/send/advanced', ADVANCED),
  route('POST /transactions/send/prepared', {
    viewWallet: false,
    required: ['transactionHash'],
    success: 201,
    codes: [58, 57, 30, 31],
  }),
  route('DELETE /transactions/prepared/{hash}', { viewWallet: false }),
  route('POST /transactions/send/sweep', { ...SWEEP, optional: ['amount', 'paymentID'] }),
  route('POST /transactions/send/sweep/all', { ...SWEEP, optional: ['paymentID'] }),
  route('GET /transactions'),
  route('GET /transactions/unconfirmed'),
  route('GET /transactions/unconfirmed/{address}', { codes: [15] }),
  route('GET /transactions/{startHeight}'),
  route('GET /transactions/{startHeight}/{endHeight}'),
  route('GET /transactions/address/{address}/{startHeight}', { codes: [15] }),
  route('GET /transactions/address/{address}/{startHeight}/{endHeight}', { codes: [15] }),
  route('GET /transactions/privatekey/{hash}', { viewWallet: false, codes: [43] }),
  route('GET /transactions/hash/{hash}'),
  route('GET /transactions/paymentid/{hash}'),
  route('GET /transactions/paymentid'),
  route('GET /balance'),
  route('GET /balance/{address}', { codes: [15, 10] }),
  route('GET /balances'),
];

/** Routes that the C++ program does not have. */
export const OWN_ROUTES: readonly ReferenceRoute[] = [
  route('POST /transactions/estimate', { ...ADVANCED, success: 200 }),
  route('POST /transactions/estimate/sweep', {
    ...SWEEP,
    optional: ['amount', 'paymentID'],
    codes: [...ADDRESS, 26, 11, 23, 24, ...BUILT],
  }),
  route('GET /transactions/export'),
  route('POST /backup', { required: ['file'], codes: [2, 8] }),
  route('GET /labels'),
  route('PUT /labels/{subject}', { required: ['text'], codes: [15, 2] }),
  route('DELETE /labels/{subject}', { codes: [15, 2] }),
  route('POST /sends/pause', { optional: ['reason'], codes: [2] }),
  route('POST /sends/resume', { codes: [2] }),
  route('DELETE /transactions/pending/{hash}', { codes: [2] }),
  route('PUT /wallet/password', { required: ['password', 'newPassword'], codes: [5, 2] }),
];

/** Codes that the C++ program does not have. */
export const OWN_CODES: readonly number[] = [
  1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012,
];
