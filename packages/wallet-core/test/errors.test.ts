import { decodeAddress, decodeMnemonic } from '@wrkz/core-types';
import { walletError, walletErrorOfCode, walletErrorRows } from '../src/errors';

const rows = Object.values(walletErrorRows);

test('codes 0 to 62 and from 1000 on exist once each, and names are distinct', () => {
  const codes = rows.map(({ code }) => code);
  expect(codes.slice(0, 63)).toEqual(Array.from({ length: 63 }, (_, i) => i));
  expect(codes.slice(63)).toEqual(Array.from({ length: codes.length - 63 }, (_, i) => 1000 + i));
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  const { daemonOffline, liteNodeCannotRescanThatLow, notEnoughBalance, foreignNetwork, feeTooSmall } = walletErrorRows;
  expect([notEnoughBalance.code, feeTooSmall.code, daemonOffline.code]).toEqual([11, 17, 30]);
  expect([liteNodeCannotRescanThatLow.code, foreignNetwork.code]).toEqual([62, 1012]);
});

test.each(Object.entries(walletErrorRows))(
  'walletError.%s creates the error of its row',
  (maker, { code, name, text }) => {
    const error = walletError[maker as 'unknownError']();
    expect([error.code, error.name, error.message]).toEqual([code, name, text]);
    expect(maker).toBe(name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
  },
);

test('errors with details have detailed texts', () => {
  const messages = [
    walletError.mixinTooSmall(0n, 1),
    walletError.mixinTooBig(100n, 7),
    walletError.notEnoughFakeOutputs(123456n, 8, 3),
    walletError.notEnoughFakeOutputs(50000000n, 8, undefined),
    walletError.tooManyInputsToFitInBlock(12_636, 124_400),
    walletError.daemonError('Transaction uses locked input'),
    walletError.liteNodeCannotRescanThatLow({ liteStartHeight: 500, scanHeight: 3, lost: 2 }),
  ].map(({ message }) => message);
  expect(messages).toEqual([
    'The mixin value given (0) is lower than the minimum mixin allowed (1)',
    'The mixin value given (100) is greater than the maximum mixin allowed (7)',
    'Failed to get enough matching outputs for amount 123456 (1,234.56 WRKZ). Requested outputs: 8, found outputs: 3.',
    'Failed to get any matching outputs for amount 50000000 (500,000.00 WRKZ).',
    'Transaction is too large: (12.34 KB). Max allowed size is 121.48 KB. Decrease the amount you are sending, or perform some fusion transactions.',
    'Transaction uses locked input',
    'The daemon this wallet is connected to holds no block data below height 500. Rescanning from 3 would start at 500 instead, losing 2 transaction(s) this wallet already holds from below that height. Connect a daemon holding the whole chain, or pass a scanHeight of at least 500.',
  ]);
});

const thrownBy = (work: () => unknown): { code: number; message: string } => {
  try {
    work();
  } catch (error) {
    return error as { code: number; message: string };
  }
  throw new Error('nothing was thrown');
};

test.each([
  [() => decodeAddress('Wrkz'), walletError.addressWrongLength(4)],
  [() => decodeAddress('x'.repeat(98)), walletError.addressWrongPrefix()],
  [
    () => decodeAddress(`Wrkz${'x'.repeat(116)}`, { allowIntegrated: false }),
    walletError.addressIsIntegrated(`Wrkz${'x'.repeat(116)}`),
  ],
  [() => decodeAddress(`Wrkz${'0'.repeat(116)}`), walletError.addressNotBase58()],
  [() => decodeAddress(`Wrkz${'0'.repeat(94)}`), walletError.addressNotValid()],
  [() => decodeMnemonic('one'), walletError.mnemonicWrongLength(1)],
  [() => decodeMnemonic('Nothing '.repeat(25)), walletError.mnemonicInvalidWord('nothing')],
])('the codecs throw the code and text of the table (%#)', (work, expected) => {
  const { code, message } = thrownBy(work);
  expect([code, message]).toEqual([expected.code, expected.message]);
});

test('walletErrorOfCode returns the error of a code, and unknownError for an unknown code', () => {
  expect(walletErrorOfCode(31, 'no')).toMatchObject({ code: 31, name: 'DAEMON_ERROR', message: 'no' });
  expect(walletErrorOfCode(31).message).toBe(walletErrorRows.daemonError.text);
  expect(walletErrorOfCode(777).code).toBe(54);
});
