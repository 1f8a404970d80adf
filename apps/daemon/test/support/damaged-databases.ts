import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChainDb, ChainDbError, type ChainReader, damageIn, openChainDb } from '@wrkz/chain-db';
import { Checkpoints } from '@wrkz/consensus';
import { SqliteFileError } from '@wrkz/sqlite';
import { networkOf, parseBlock, parseTransaction, type RawBlock } from '@wrkz/core-types';
import { chainA } from '@wrkz/testing';
import { runQuery } from '../../src/rpc';
import { engineBench } from './engine';
import { temporaryDirectory } from './temporary';

/*
 * Databases that a disk, a power cut or an operator has damaged: queries return the correct result or an error
 * with a name, never a wrong byte.
 */

const NETWORK = 'devnet';
const FILES = ['chain.sqlite', 'chain.sqlite-wal', 'chain.sqlite-control'];

export interface Damages {
  /** The folder of a closed database with chain A. */
  readonly whole: string;
  /** Folders after a kill: half of the data is in the log. */
  readonly killed: readonly { readonly directory: string; readonly height: number }[];
  /** Queries of a node, with the correct results. */
  readonly questions: readonly (Question & { readonly response: string })[];
}

export interface Outcome {
  /** Number of databases that returned only correct results. */
  right: number;
  /** Number of databases that reported damage, at the open or by a read. */
  reported: number;
  /** Wrong results, with the number of the run; must stay empty. */
  readonly wrong: string[];
}

/** Makes the databases that the campaigns damage. */
export async function makeDamages(): Promise<Damages> {
  // In a checkpoint zone no proofs are computed; the stored data is equal.
  const checkpoints = new Checkpoints(new Map([[1_000_000, Buffer.alloc(32)]]));
  const bench = engineBench(NETWORK, { checkpoints });
  const killed: { directory: string; height: number }[] = [];
  await bench.engine.addBlocks(chainA().slice(1, 301), 'import');
  await bench.engine.stop();
  const again = engineBench(NETWORK, { directory: bench.directory, checkpoints });
  for (const end of [350, 500, 721]) {
    await again.engine.addBlocks(chainA().slice(again.engine.tip().height + 1, end), 'import');
    killed.push({ directory: copyOf(again.directory), height: end - 1 });
  }
  await again.engine.stop();
  const db = openChainDb({ directory: bench.directory, network: NETWORK, readonly: true });
  try {
    const requested = questions(db.reader).map((question) => ({ ...question, response: question.request(db.reader) }));
    return { whole: bench.directory, killed, questions: requested };
  } finally {
    db.close();
  }
}

function copyOf(directory: string): string {
  const copy = join(temporaryDirectory(), 'chain');
  mkdirSync(copy);
  for (const file of FILES) {
    if (existsSync(join(directory, file))) copyFileSync(join(directory, file), join(copy, file));
  }
  return copy;
}

interface Question {
  readonly name: string;
  readonly request: (reader: ChainReader) => string;
}

const NOTHING = '-';

const RANGE = 60;

/** Queries for all data that the node serves to wallets, clients and peers. */
function questions(sound: ChainReader): Question[] {
  const network = networkOf(NETWORK);
  const requested: Question[] = [];
  const add = (name: string, request: Question['request']): void => void requested.push({ name, request });
  for (let start = 0; start <= sound.height(); start += RANGE) {
    const range = {
      checkpoints: Buffer.alloc(0),
      startHeight: start,
      startTimestamp: 0,
      blockCount: RANGE,
      skipCoinbase: false,
    };
    const wallet = { ...range, skipKeyOffsets: false, skipEmpty: false, endHeight: 0, encoding: 'hex' as const };
    const place = String(start);
    add(`raw blocks ${place}`, (reader) => runQuery(reader, network, 'rawBlocks', range).toString());
    add(`wallet data ${place}`, (reader) => runQuery(reader, network, 'walletSyncData', wallet).toString());
    add(`indexes ${place}`, (reader) =>
      runQuery(reader, network, 'globalIndexes', { start, end: start + RANGE }).toString(),
    );
    add(`headers ${place}`, (reader) => digestText(reader.factsRange(start, start + RANGE)));
    add(`ids ${place}`, (reader) => digestText(reader.hashes(start, start + RANGE)));
  }
  const blocks = chainA().map((raw) => parseBlock(raw.block));
  const transactions = chainA().flatMap(({ transactions: bytes }) => bytes.map((one) => parseTransaction(one)));
  blocks.forEach(({ hash }, i) => add(`height of block ${String(i)}`, (reader) => digestText(reader.heightOf(hash))));
  transactions.forEach(({ hash, transaction }, i) => {
    add(`transaction ${String(i)}`, (reader) => digestText(reader.transaction(hash)));
    for (const input of transaction.inputs) {
      if (input.type !== 'key') continue;
      add(`image ${input.keyImage.toString('hex')}`, (reader) =>
        digestText(reader.viewAt(reader.height()).keyImageHeight(input.keyImage)),
      );
    }
  });
  const amounts = new Set(
    [...blocks.map(({ coinbase }) => coinbase), ...transactions].flatMap(({ transaction }) =>
      transaction.outputs.map(({ amount }) => amount),
    ),
  );
  for (const amount of amounts) {
    const indexes = Array.from({ length: sound.outputCount(amount) }, (_, i) => i);
    add(`outputs of ${String(amount)}`, (reader) => digestText(indexes.map((index) => reader.output(amount, index))));
  }
  return requested;
}

/** The digest of a result. */
function digestText(value: unknown): string {
  return value === undefined ? NOTHING : createHash('sha1').update(plain(value)).digest('hex');
}

/** As text: the representation of a number in memory must not matter. */
function plain(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${String(one)}n` : one));
}

/** The digest of a block's bytes. */
function blockDigest(raw: RawBlock | undefined): string {
  return raw === undefined
    ? NOTHING
    : digestText([raw.block, ...raw.transactions].map((bytes) => bytes.toString('hex')));
}

/** Flips one bit of a database per run, and runs all queries. */
export function flipBits(damages: Damages, runs: number, random: () => number): Outcome {
  const outcome: Outcome = { right: 0, reported: 0, wrong: [] };
  for (let run = 0; run < runs; run++) {
    const directory = copyOf(damages.whole);
    const at = flipIn(join(directory, 'chain.sqlite'), random);
    judge(outcome, `flip ${String(run)} at ${String(at)}`, directory, (reader) => {
      const page = Math.floor(at / reader.fileSpace().pageSize) + 1;
      if (reader.firstBadPage(page, 1) !== page) return `page ${String(page)} fits its checksum`;
      let damaged = false;
      for (const { name, request, response } of damages.questions) {
        const given = answerOf(reader, request);
        if (given === undefined) damaged = true;
        else if (given !== response) return `${name} is another one`;
      }
      return damaged ? 'reported' : undefined;
    });
    rmSync(directory, { recursive: true });
  }
  return outcome;
}

/** Changes one bit of a file. @returns the number of its byte */
function flipIn(file: string, random: () => number): number {
  const content = readFileSync(file);
  const at = Math.floor(random() * content.length);
  content.writeUInt8(content.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
  writeFileSync(file, content);
  return at;
}

/**
 * Changes one bit of the write-ahead log or the control file that a kill has left: before it is opened for writing, or beside the
 * open writer. No committed block may disappear without an error, then or at the next open.
 */
export function flipLogBits(damages: Damages, runs: number, random: () => number): Outcome {
  const outcome: Outcome = { right: 0, reported: 0, wrong: [] };
  for (let run = 0; run < runs; run++) {
    const { directory: source, height } = damages.killed[run % damages.killed.length] ?? { directory: '', height: 0 };
    const directory = copyOf(source);
    const file = random() < 0.1 ? 'chain.sqlite-control' : 'chain.sqlite-wal';
    const name = `flip ${String(run)} of ${file}`;
    const all = (reader: ChainReader): string | undefined =>
      reader.height() === height ? prefixOfTruth(reader) : `the height is ${String(reader.height())}`;
    const first: Outcome = { right: 0, reported: 0, wrong: [] };
    if (run % 2 === 0) {
      flipIn(join(directory, file), random);
      // Shared memory that another program has left is not used.
      writeFileSync(
        join(directory, 'chain.sqlite-shm'),
        readFileSync(join(directory, 'chain.sqlite')).subarray(0, 65_536),
      );
    } else {
      const db = openChainDb({ directory, network: NETWORK });
      flipIn(join(directory, file), random);
      judge(first, `${name} beside the writer`, directory, () => all(db.openReader()), false, db);
    }
    judge(first, name, directory, all, true);
    if (first.reported > 0) outcome.reported++;
    else outcome.right++;
    outcome.wrong.push(...first.wrong);
    rmSync(directory, { recursive: true });
  }
  return outcome;
}

/** Damages files after a kill (truncated, zeroed, removed or exchanged), and opens them for writing. */
export function tear(damages: Damages, runs: number, random: () => number): Outcome {
  const outcome: Outcome = { right: 0, reported: 0, wrong: [] };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  for (let run = 0; run < runs; run++) {
    const source = pick(damages.killed).directory;
    const directory = copyOf(source);
    const kind = pick(['cut', 'zeros', 'cut', 'zeros', 'gone', 'other'] as const);
    const name = pick(kind === 'cut' || kind === 'zeros' ? FILES.slice(0, 2) : FILES);
    const file = join(directory, name);
    const size = readFileSync(file).length;
    const at = Math.floor(random() * size);
    if (kind === 'cut') truncateSync(file, at);
    if (kind === 'gone') rmSync(file);
    if (kind === 'other')
      copyFileSync(join(pick(damages.killed.filter((one) => one.directory !== source)).directory, name), file);
    if (kind === 'zeros') {
      const content = readFileSync(file);
      const sector = at - (at % 512);
      content.fill(0, sector, Math.min(content.length, sector + 512 * (1 + Math.floor(random() * 32))));
      writeFileSync(file, content);
    }
    judge(
      outcome,
      `tear ${String(run)}: ${kind} ${name} at ${String(at)} of ${String(size)}`,
      directory,
      prefixOfTruth,
      true,
    );
    rmSync(directory, { recursive: true });
  }
  return outcome;
}

/** Whether the existing part of the chain equals chain A, byte for byte. */
function prefixOfTruth(reader: ChainReader): string | undefined {
  let damaged = false;
  for (let height = 0; height <= reader.height(); height++) {
    const wanted = chainA()[height];
    const response = answerOf(reader, () => blockDigest(reader.rawBlock(height)));
    if (response === undefined) damaged = true;
    else if (response !== blockDigest(wanted)) return `block ${String(height)} is another one`;
  }
  return damaged ? 'reported' : undefined;
}

/** The result of a query; undefined if damage was reported. @throws any other error */
function answerOf(reader: ChainReader, request: (reader: ChainReader) => string): string | undefined {
  try {
    return request(reader);
  } catch (error) {
    if (damageIn(error) === undefined) throw error;
    return undefined;
  }
}

/** Opens a database and counts the outcome. `look` returns a description of wrong data, or `reported` for reported damage. */
function judge(
  outcome: Outcome,
  name: string,
  directory: string,
  look: (reader: ChainReader) => string | undefined,
  writing = false,
  opened?: ChainDb,
): void {
  try {
    const db = opened ?? openChainDb({ directory, network: NETWORK, readonly: !writing });
    try {
      const found = look(db.reader);
      if (found === undefined) outcome.right++;
      else if (found === 'reported') outcome.reported++;
      else outcome.wrong.push(`${name}: ${found}`);
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof ChainDbError || error instanceof SqliteFileError || damageIn(error) !== undefined)
      outcome.reported++;
    else outcome.wrong.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}
