import { walletErrorRows } from '@wrkz/wallet-core';
import { documentErrors } from '@wrkz/testing';
import { bindRoutes, errorsOfRoute, openApiDocument, stringifyJson } from '@wrkz/service-kit';
import { WALLET_ROUTES } from '../../src';
import type { WalletRoute } from '../../src/routes/declare';
import { WALLET_SERVICE } from '../../src/routes/declare';
import { briefOf } from '../support/differences';
import { recordedRows } from '../support/recorded';
import { isOptional } from './fields';
import { ELSEWHERE, PROVOCATIONS, SAVING } from './provocations';
import { OWN_CODES, OWN_ROUTES, REFERENCE_ROUTES, type ReferenceRoute } from './reference';

/* Compares the declarations with the table of the C++ program, and each code with its provocation. */

const keyOf = ({ method, path }: Pick<WalletRoute | ReferenceRoute, 'method' | 'path'>): string => `${method} ${path}`;
const declared = new Map(WALLET_ROUTES.map((route) => [keyOf(route), route]));
const inOrder = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);
const codesOf = ({ errors }: Pick<WalletRoute, 'errors'>): number[] =>
  errors.flatMap(({ code }) => (typeof code === 'number' ? [code] : []));

/** Sweeps return the codes of their transactions in entries, with status 200. */
const isSweep = (key: string): boolean => key.startsWith('POST /transactions/send/sweep');

test('declares the routes of the C++ program and the additional ones', () => {
  const table = [...REFERENCE_ROUTES, ...OWN_ROUTES].map(keyOf);
  expect([...declared.keys()].sort()).toEqual(table.sort());
  expect([REFERENCE_ROUTES.length, OWN_ROUTES.length]).toEqual([47, 11]);
});

describe.each([...REFERENCE_ROUTES, ...OWN_ROUTES].map((route) => [keyOf(route), route] as const))('%s', (key, row) => {
  const route = declared.get(key);

  test('has the wallet state, view wallet rule and status of the table', () => {
    const { wallet, viewWallet } = route?.labels ?? {};
    expect({ wallet, viewWallet, success: route?.status ?? 200 }).toEqual({
      wallet: row.wallet,
      viewWallet: row.viewWallet,
      success: row.success,
    });
  });

  test('has the fields of the table', () => {
    const members = Object.entries(route?.body?.shape ?? {});
    const named = (optional: boolean) =>
      members.filter(([, member]) => isOptional(member as never) === optional).map(([name]) => name);
    expect(named(false).sort()).toEqual([...row.required].sort());
    expect(named(true).sort()).toEqual([...row.optional].sort());
  });

  test('declares the error codes of the table and the additional ones', () => {
    const codes = codesOf(route as WalletRoute);
    const expected = isSweep(key) ? [39] : row.codes;
    const own = new Set([...OWN_CODES, ...(OWN_BESIDES[key] ?? [])]);
    expect(inOrder(new Set(codes.filter((code) => !own.has(code) || row.codes.includes(code))))).toEqual(
      inOrder(new Set(expected)),
    );
  });
});

/** Codes that the C++ program returns only on other routes, for failed saves and node addresses. */
const SAVES = [2];
const OWN_BESIDES: Readonly<Record<string, readonly number[]>> = {
  'POST /wallet/open': [30],
  'POST /wallet/create': [30],
  'POST /wallet/import/key': [30],
  'POST /wallet/import/seed': [30],
  'POST /wallet/import/view': [30],
  'PUT /node': [30],
  'DELETE /wallet': SAVES,
  'PUT /reset': SAVES,
  'POST /addresses/create': SAVES,
  'POST /addresses/import': SAVES,
  'POST /addresses/import/deterministic': SAVES,
  'POST /addresses/import/view': SAVES,
  'DELETE /addresses/{address}': SAVES,
  'POST /transactions/prepare/basic': SAVES,
  'POST /transactions/prepare/advanced': SAVES,
  'DELETE /transactions/prepared/{hash}': SAVES,
  'POST /transactions/send/basic': [...SAVES, 55],
  'POST /transactions/send/advanced': [...SAVES, 55],
  'POST /transactions/send/prepared': [...SAVES, 55],
};

test('provokes every declared error of every route', () => {
  const seen = new Set([...PROVOCATIONS, ...SAVING].map(({ route, code }) => `${route} ${String(code)}`));
  const rules = { notJson: () => undefined, invalid: () => new Error() };
  const bound = bindRoutes(WALLET_ROUTES, {} as never, rules);
  for (const row of recordedRows()) {
    const route = bound.find(({ method, pattern }) => method === row.method && pattern.test(row.path));
    const code = briefOf(row).split(' ')[1];
    if (route !== undefined && code !== undefined) seen.add(`${route.method} ${route.path} ${code}`);
  }
  const wanted = [...REFERENCE_ROUTES, ...OWN_ROUTES].flatMap((row) => {
    const route = declared.get(keyOf(row));
    const codes = new Set([...row.codes, ...(route === undefined ? [] : codesOf(route))]);
    // contract.test.ts requests each route in a view wallet.
    return [...codes].filter((code) => code !== 39).map((code) => `${keyOf(row)} ${String(code)}`);
  });
  const elsewhere = (name: string): boolean => ELSEWHERE.some(([pattern]) => pattern.test(name));
  expect(wanted.filter((name) => !seen.has(name) && !elsewhere(name))).toEqual([]);
  expect([...seen].filter((name) => !wanted.includes(name) && !name.endsWith(' 39'))).toEqual([]);
});

test('declares every error code on some route, or lists it as unused', () => {
  const used = new Set(WALLET_ROUTES.flatMap(codesOf));
  const entries = REFERENCE_ROUTES.flatMap(({ codes }) => codes);
  const unused = Object.values(walletErrorRows).flatMap(({ code }) =>
    used.has(code) || entries.includes(code) ? [] : [code],
  );
  // In order: success, a code within a response of a node, codes that never occur, of fusions, of invalid bodies, unknown.
  expect(unused).toEqual([0, 27, 29, 36, 37, 46, 47, 48, 49, 50, 54, 59]);
});

test('prints a valid OpenAPI document with every route and status', async () => {
  const document = openApiDocument(WALLET_SERVICE, WALLET_ROUTES) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  };
  expect(await documentErrors('openapi', stringifyJson(document))).toEqual([]);
  for (const route of WALLET_ROUTES) {
    const statuses = [route.status ?? 200, ...errorsOfRoute(WALLET_SERVICE, route).map(({ status }) => status)];
    const { responses } = document.paths[route.path]?.[route.method.toLowerCase()] ?? {};
    expect(Object.keys(responses ?? {}).sort()).toEqual([...new Set(statuses.map(String))].sort());
  }
});

test('documents both content types of the transaction export', () => {
  const document = JSON.parse(stringifyJson(openApiDocument(WALLET_SERVICE, WALLET_ROUTES))) as {
    paths: Record<string, { get: { responses: Record<string, { content: Record<string, { schema: unknown }> }> } }>;
  };
  const { content } = document.paths['/transactions/export']?.get.responses['200'] ?? { content: {} };
  expect(content).toMatchObject({
    'text/csv': { schema: { type: 'string' } },
    'application/json': { schema: { required: ['transactions'] } },
  });
});
