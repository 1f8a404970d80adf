import { readJsonLines } from '@wrkz/testing/fixtures';
import type * as crypto from '../src';
import { CURVE_LANE_COUNTS, type CurveLanes, setCurveLanes } from '../src';

/** The functions that the recorded curve vectors test; both the addon and the oracle have them. */
export type CurveFunctions = Pick<
  typeof crypto,
  | 'checkKey'
  | 'secretKeyToPublicKey'
  | 'isPrimeOrder'
  | 'scalarMultKey'
  | 'scalarReduce32'
  | 'hashToScalar'
  | 'hashToPoint'
  | 'hashToPointRaw'
  | 'generateKeyDerivation'
  | 'derivationToScalar'
  | 'derivePublicKey'
  | 'deriveSecretKey'
  | 'underivePublicKey'
  | 'generateKeyImage'
  | 'viewKeyFromSpendKey'
  | 'checkRingSignature'
>;

export const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
export const hex = (value: Uint8Array | null): string | null => value && Buffer.from(value).toString('hex');

/** The group order as 32 bytes. */
export const GROUP_ORDER = bytes('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');

export type KeyRow = Record<string, string> & {
  ok?: boolean;
  in_subgroup?: boolean;
  derive_ok?: boolean;
  underive_ok?: boolean;
  subwallets: Record<string, { spend: string; spend_pub: string }>;
};

type Check = (row: KeyRow, curve: CurveFunctions) => void;

const same = (actual: unknown, expected: unknown, row: KeyRow): void =>
  expect({ row, value: actual }).toEqual({ row, value: expected });
const field = (row: KeyRow, name: string): Buffer => {
  const value = row[name];
  if (value === undefined) throw new Error(`a ${row['op']} row without ${name}`);
  return bytes(value);
};

function checkDerive(row: KeyRow, curve: CurveFunctions): void {
  const derivation = field(row, 'derivation');
  const index = BigInt(row['index'] ?? '');
  same(hex(curve.derivationToScalar(derivation, index)), row['derivation_to_scalar'], row);
  same(hex(curve.derivePublicKey(derivation, index, field(row, 'spend_pub'))), row['derived_pub'], row);
  same(hex(curve.deriveSecretKey(derivation, index, field(row, 'spend_sec'))), row['derived_sec'], row);
  same(hex(curve.underivePublicKey(derivation, index, field(row, 'derived_pub'))), row['spend_pub'], row);
  same(hex(curve.generateKeyImage(field(row, 'derived_pub'), field(row, 'derived_sec'))), row['key_image'], row);
  same(hex(curve.generateKeyDerivation(field(row, 'tx_pub'), field(row, 'view_sec'))), row['derivation'], row);
}

function checkWallet(row: KeyRow, curve: CurveFunctions): void {
  const spend = field(row, 'spend');
  const view = curve.viewKeyFromSpendKey(spend);
  same([hex(view), hex(curve.secretKeyToPublicKey(view))], [row['view'], row['view_pub']], row);
}

export const KEY_CHECKS: Record<string, Check> = {
  check_key: (row, curve) => same(curve.checkKey(field(row, 'key')), row.ok, row),
  secret_key_to_public_key: (row, curve) => {
    if (row.ok === true) same(hex(curve.secretKeyToPublicKey(field(row, 'sec'))), row['pub'], row);
    else expect(() => curve.secretKeyToPublicKey(field(row, 'sec'))).toThrow(RangeError);
  },
  scalarmultKey_by_l: (row, curve) => {
    same(hex(curve.scalarMultKey(field(row, 'key_image'), GROUP_ORDER)), row['result'], row);
    same(curve.isPrimeOrder(field(row, 'key_image')), row.in_subgroup, row);
  },
  scalarmultKey: (row, curve) =>
    same(hex(curve.scalarMultKey(field(row, 'point'), field(row, 'scalar'))), row['result'], row),
  generate_key_derivation: (row, curve) =>
    same(
      hex(curve.generateKeyDerivation(field(row, 'pub'), field(row, 'sec'))),
      row.ok === true ? row['derivation'] : null,
      row,
    ),
  sc_reduce32: (row, curve) => same(hex(curve.scalarReduce32(field(row, 'in'))), row['out'], row),
  hash_to_scalar: (row, curve) => same(hex(curve.hashToScalar(field(row, 'data'))), row['scalar'], row),
  hash_to_ec: (row, curve) => {
    same(hex(curve.hashToPoint(field(row, 'data'))), row['hash_data_to_ec'], row);
    same(hex(curve.hashToPointRaw(field(row, 'data'))), row['hash_to_point_of_data_as_field_element'], row);
  },
  hash_data_to_ec: (row, curve) => same(hex(curve.hashToPoint(field(row, 'data'))), row['point'], row),
  derive: checkDerive,
  derive_random_base: (row, curve) => {
    const [derivation, index, base] = [field(row, 'derivation'), BigInt(row['index'] ?? ''), field(row, 'base')];
    same(hex(curve.derivePublicKey(derivation, index, base)), row.derive_ok === true ? row['derived'] : null, row);
    same(
      hex(curve.underivePublicKey(derivation, index, base)),
      row.underive_ok === true ? row['underived'] : null,
      row,
    );
  },
  generate_key_image: (row, curve) =>
    same(hex(curve.generateKeyImage(field(row, 'pub'), field(row, 'sec'))), row['key_image'], row),
  view_from_spend: checkWallet,
};

/** The lane counts of batches that this processor supports. */
export function supportedLanes(): CurveLanes[] {
  const supported = CURVE_LANE_COUNTS.filter((lanes) => {
    try {
      setCurveLanes(lanes);
      return true;
    } catch {
      return false;
    }
  });
  setCurveLanes('auto');
  return supported;
}

/** The recorded rows of `vectors/keys.jsonl` with the given operation. */
export function keyRows(op: string): KeyRow[] {
  return readJsonLines<KeyRow>('vectors/keys.jsonl').filter((row) => row['op'] === op);
}

/** A scan of transactions, each with its key and those of its outputs. */
export function outputScan(
  viewSecret: Buffer,
  transactions: readonly { publicKey: Buffer; outputs: readonly Buffer[] }[],
  spendKeys: readonly Buffer[],
): crypto.OutputScan {
  return {
    viewSecret,
    transactionKeys: Buffer.concat(transactions.map(({ publicKey }) => publicKey)),
    outputCounts: Uint32Array.from(transactions, ({ outputs }) => outputs.length),
    outputs: Buffer.concat(transactions.flatMap(({ outputs }) => outputs)),
    spendKeys: Buffer.concat(spendKeys),
  };
}

/** Defines one test per operation over all rows of `vectors/keys.jsonl`. */
export function keyVectorTests(curve: CurveFunctions): void {
  const rows = readJsonLines<KeyRow>('vectors/keys.jsonl');
  const ops = [...new Set(rows.map((row) => row['op'] ?? ''))];
  it('covers every recorded operation', () => expect(ops.sort()).toEqual(Object.keys(KEY_CHECKS).sort()));
  it.each(ops)('reproduces %s', (op) => {
    const check = KEY_CHECKS[op];
    for (const row of rows) if (row['op'] === op) check?.(row, curve);
  });
}

export interface RingRow {
  prefix_hash: string;
  key_image: string;
  kind: string;
  ring: string[];
  sigs: string[];
  sec?: string;
  index?: number;
  valid: boolean;
}

export const ringRows = (): RingRow[] => readJsonLines<RingRow>('vectors/ring_signatures.jsonl');

/** Defines one test per kind of damage over `rows` of `vectors/ring_signatures.jsonl`. */
export function ringVectorTests(curve: Pick<CurveFunctions, 'checkRingSignature'>, rows = ringRows()): void {
  it.each([...new Set(rows.map((row) => row.kind))])('%s', (kind) => {
    for (const row of rows) {
      if (row.kind !== kind) continue;
      const signatures = bytes(row.sigs.join(''));
      const valid = curve.checkRingSignature(
        bytes(row.prefix_hash),
        bytes(row.key_image),
        row.ring.map(bytes),
        signatures,
      );
      expect({ ...row, valid }).toEqual(row);
    }
  });
}
