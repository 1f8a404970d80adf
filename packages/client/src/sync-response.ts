import { readJsonBody } from './response';
import { NodeFailure } from './failure';
import type { SyncResponse, SyncBlock, SyncInput, SyncOutput, SyncTransaction } from './sync-model';

/** Nodes limit responses to 8 MiB of serialized blocks. As JSON they take up to four times as much. */
export const MAX_SYNC_BYTES = 32 * 1024 * 1024;
/** Max number of JSON values, above that of the largest valid response. */
const MAX_VALUES = 2_000_000;
/** Max number of blocks in a response of a node. */
export const MAX_BLOCKS = 10_000;
/** Above the height of every chain, and small enough for exact additions. */
const MAX_HEIGHT = 2 ** 32;

/**
 * Parses a response of `/getwalletsyncdata` with keys in hex or base64. Hand-written, because it takes a large part of the
 * time of a scan. A test compares it with the schema of the route.
 * @throws NodeFailure `malformed`
 */
export function readSyncResponse(body: Buffer): SyncResponse {
  const response = members(readJsonBody(body, MAX_VALUES), 'the response');
  if (response['status'] !== 'OK') fail('status', 'is not OK');
  const items = list(response['items'], 'items');
  if (items.length > MAX_BLOCKS) fail('items', 'are too many');
  const blocks = items.map(block);
  blocks.forEach(({ height }, i) => {
    if (i > 0 && height <= (blocks[i - 1]?.height ?? -1)) fail('items', 'are not in ascending order');
  });
  const { scannedToHeight, topBlock } = response;
  return {
    blocks,
    scannedTo: scannedToHeight === undefined ? undefined : heightOf(scannedToHeight, 'scannedToHeight'),
    tip: topBlock === undefined ? undefined : tip(members(topBlock, 'topBlock')),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fail(name: string, what: string): never {
  throw new NodeFailure('malformed', `returned an invalid response: ${name} ${what}`);
}

function members(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(name, 'is not an object');
  return value as Fields;
}

function list(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) fail(name, 'is not an array');
  return value;
}

function uint64Of(value: unknown, name: string): bigint {
  if (typeof value !== 'bigint' || BigInt.asUintN(64, value) !== value) fail(name, 'is not an unsigned 64-bit integer');
  return value;
}

function heightOf(value: unknown, name: string): number {
  const height = uint64Of(value, name);
  if (height >= MAX_HEIGHT) fail(name, 'is not a block height');
  return Number(height);
}

/** A timestamp, clamped to 2^53 - 1. */
function secondsOf(value: unknown): number {
  const seconds = uint64Of(value, 'blockTimestamp');
  return seconds > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(seconds);
}

const HEX = /^[0-9a-f]{64}$/;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;
const PAYMENT_ID = /^(?:[0-9a-f]{16}|[0-9a-f]{64})?$/;

/** Parses 32 bytes in hex or base64, depending on the length. @returns hex */
function key(value: unknown, name: string): string {
  if (typeof value !== 'string') fail(name, 'is not a string');
  if (value.length === 64 && HEX.test(value)) return value;
  if (value.length === 44 && BASE64.test(value)) return Buffer.from(value, 'base64').toString('hex');
  return fail(name, 'is not 32 bytes in hex or base64');
}

function tip(top: Fields): { height: number; hash: string } {
  return { height: heightOf(top['height'], 'topBlock.height'), hash: key(top['hash'], 'topBlock.hash') };
}

function block(item: unknown): SyncBlock {
  const given = members(item, 'an item');
  const { coinbaseTX } = given;
  return {
    height: heightOf(given['blockHeight'], 'blockHeight'),
    hash: key(given['blockHash'], 'blockHash'),
    timestamp: secondsOf(given['blockTimestamp']),
    coinbase: coinbaseTX === undefined ? undefined : transaction(members(coinbaseTX, 'coinbaseTX'), [], ''),
    transactions: list(given['transactions'], 'transactions').map((one) => {
      const fields = members(one, 'a transaction');
      const { paymentID } = fields;
      if (typeof paymentID !== 'string' || !PAYMENT_ID.test(paymentID)) fail('paymentID', 'is not a payment id');
      return transaction(fields, inputs(list(fields['inputs'], 'inputs')), paymentID);
    }),
  };
}

function transaction(fields: Fields, spent: readonly SyncInput[], paymentId: string): SyncTransaction {
  return {
    hash: key(fields['hash'], 'hash'),
    transactionPublicKey: key(fields['txPublicKey'], 'txPublicKey'),
    unlockTime: uint64Of(fields['unlockTime'], 'unlockTime'),
    paymentId,
    inputs: spent,
    outputs: list(fields['outputs'], 'outputs').map(output),
  };
}

function output(value: unknown): SyncOutput {
  const fields = members(value, 'an output');
  return { key: key(fields['key'], 'key'), amount: uint64Of(fields['amount'], 'amount') };
}

/** Parses inputs. An empty object is an input without a key image and is skipped. */
function inputs(values: readonly unknown[]): SyncInput[] {
  const spent: SyncInput[] = [];
  for (const value of values) {
    const fields = members(value, 'an input');
    if (Object.keys(fields).length === 0) continue;
    spent.push({ keyImage: key(fields['k_image'], 'k_image'), amount: uint64Of(fields['amount'], 'amount') });
  }
  return spent;
}
