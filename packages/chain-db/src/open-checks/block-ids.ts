import { blockHash, decodeBlock, networkOf, type NetworkName, parseBlock } from '@wrkz/core-types';
import type { SqliteConnection } from '@wrkz/sqlite';
import { joinBlock } from '../block-parts';
import { decodeBlob } from '../codec';
import { readMeta, writeMeta } from '../meta';
import type { ChainReader } from '../reader/reader';
import type { ChainWriter } from '../writer/writer';

/** The rule that ids are made by, as `meta` names it: from the form that the reference writes (docs/protocol/blocks.md#block-id). */
export const BLOCK_ID_RULE = 'as the reference writes';

/** What was mended. */
export interface MendedIds {
  /** Height of the lowest block of the main chain that had another id than the network's; undefined when none had. */
  readonly height: number | undefined;
  /** Blocks that were taken off the main chain, that one among them. */
  readonly removed: number;
  /** Blocks beside the main chain that were dropped. */
  readonly alternatives: number;
}

/** Blocks that one rewind takes off: it is one transaction. */
const STEP = 500;

/**
 * Mends a chain whose ids were made by a rule of old: the number behind the coinbase of a merge-mining parent went into
 * them. Such a block has another id than on the network, so what stands on it here is of a branch that the network does not
 * know. It is taken off with all that stands on it, and fetched again under its own id.
 *
 * It looks once: `meta` remembers it.
 */
export function mendBlockIds(
  connection: SqliteConnection,
  network: NetworkName,
  reader: ChainReader,
  writer: ChainWriter,
): MendedIds | undefined {
  if (readMeta(connection, 'block_ids') === BLOCK_ID_RULE) return undefined;
  const strangers = reader.alternatives().filter(({ facts: { hash } }) => {
    const raw = reader.alternative(hash)?.raw;
    return raw !== undefined && !blockHash(decodeBlock(raw.block)).equals(hash);
  });
  writer.dropAlternatives(strangers.map(({ facts }) => facts.hash));
  const height = lowestWrong(connection, network, reader);
  const tip = reader.height();
  if (height !== undefined) {
    for (let top = tip; top >= height; top -= STEP) writer.rewindTo(Math.max(height - 1, top - STEP));
  }
  writeMeta(connection, 'block_ids', BLOCK_ID_RULE);
  return {
    height,
    removed: height === undefined ? 0 : tip - height + 1,
    alternatives: strangers.length,
  };
}

/** The lowest block whose stored id is not the one that its bytes have. Genesis, height 0, has no parent of that kind. */
function lowestWrong(connection: SqliteConnection, network: NetworkName, reader: ChainReader): number | undefined {
  const bodies = connection
    .prepare<[], [number, number, Buffer]>('SELECT height, codec, body FROM block_bodies ORDER BY height')
    .raw(true);
  const coinbase = parseBlock(networkOf(network).genesis.block).coinbase.bytes;
  for (const [height, codec, body] of bodies.iterate()) {
    if (!hasForgottenNumber(decodeBlob(codec, body, 'block_bodies', height), coinbase)) continue;
    const raw = reader.rawBlock(height);
    if (raw !== undefined && !blockHash(decodeBlock(raw.block)).equals(reader.hashAt(height) ?? NOTHING)) return height;
  }
  return undefined;
}

const NOTHING = Buffer.alloc(0);

/** @param coinbase any one: bodies end before theirs */
function hasForgottenNumber(body: Buffer, coinbase: Buffer): boolean {
  // Version 1 has no parent.
  if (body[0] === 1) return false;
  return (decodeBlock(joinBlock(body, coinbase, [])).parentBlock?.baseTransaction.ignored ?? 0n) !== 0n;
}
