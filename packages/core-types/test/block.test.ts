import fc from 'fast-check';
import { readJson } from '@wrkz/testing/fixtures';
import {
  auxHeaderHash,
  type Block,
  blockHash,
  decodeBlock,
  decodeRawBlock,
  DecodeError,
  encodeBlock,
  encodeRawBlock,
  encodeTransaction,
  headerHashingBlob,
  parentBlockSize,
  parentHashingBlob,
  parseBlock,
  parseTransaction,
  powInput,
  powNonceOffset,
  reportedBlockBytes,
  transactionHash,
} from '../src';
import { chainA, chainAHeaders, expectBytes, hex, mainnetBlocks, readSections, refuses } from './recorded';

describe('the synthetic blocks of every version', () => {
  const sections = [...readSections('mainnet/blocks.txt')].filter(([title]) => /\(major \d\)$/.test(title));

  test('are complete', () => expect(sections).toHaveLength(8));

  test.each(sections)('%s', (title, lines) => {
    const version = Number(/\(major (\d)\)/.exec(title)?.[1]);
    const block = decodeBlock(hex(lines.get('block blob (BlockTemplate serialization)') ?? ''));
    expect(block.majorVersion).toBe(version);
    expect(encodeBlock(block).toString('hex')).toBe(lines.get('block blob (BlockTemplate serialization)'));
    expect(encodeTransaction(block.coinbase).toString('hex')).toBe(lines.get('coinbase tx blob'));
    expect(transactionHash(block.coinbase).toString('hex')).toBe(lines.get('coinbase tx hash'));
    const header = headerHashingBlob(block).toString('hex');
    expect(header).toBe(lines.get('header hashing blob (header||treehash||varint(txcount))'));
    expect(header).toContain(lines.get('tx tree hash'));
    expect(blockHash(block).toString('hex')).toBe(lines.get('block id'));
    if (version === 1) {
      expect(powInput(block).toString('hex')).toBe(header);
      expect(parentBlockSize(block)).toBe(0);
      expect(() => parentHashingBlob(block, true)).toThrow(RangeError);
      return;
    }
    expect(auxHeaderHash(block).toString('hex')).toBe(lines.get('aux block header hash = keccak(header hashing blob)'));
    expect(parentHashingBlob(block, false).toString('hex')).toBe(
      lines.get('parent block hashing blob full (for block id)'),
    );
    const work = lines.get('parent block hashing blob header-only (PoW input)');
    expect(parentHashingBlob(block, true).toString('hex')).toBe(work);
    expect(powInput(block).toString('hex')).toBe(work);
    const parent = lines.get('parent block blob (in block, no merkle)') ?? '';
    expect(parentBlockSize(block)).toBe(parent.length / 2);
  });
});

describe('mainnet blocks', () => {
  const hashes = new Map(
    [
      ...readJson<{ hash: string; height: number }[]>('rpc/block_headers_at_version_boundaries.json'),
      ...readJson<{ hash: string; height: number }[]>('mainnet/headers_4213588_to_4213650.json'),
      ...readJson<{ items: { blockHash: string; blockHeight: number }[] }>(
        'mainnet/getwalletsyncdata_4213000.json',
      ).items.map((item) => ({ hash: item.blockHash, height: item.blockHeight })),
    ].map((header) => [header.hash, header.height]),
  );

  test.each(mainnetBlocks())('$name', ({ block: bytes, transactions }) => {
    const parsed = parseBlock(bytes);
    expectBytes(encodeBlock(parsed.block), bytes);
    const [base] = parsed.block.coinbase.inputs;
    expect(hashes.get(parsed.hash.toString('hex'))).toBe(base?.type === 'base' ? base.height : undefined);
    expect(blockHash(parsed.block)).toEqual(parsed.hash);
    expect(powInput(parsed.block)).toEqual(parsed.powInput);
    expect(parsed.powInput.readUInt32LE(powNonceOffset(parsed.block))).toBe(parsed.block.nonce);
    expect(transactions.map((transaction) => parseTransaction(transaction).hash)).toEqual(
      parsed.block.transactionHashes,
    );
    expect(() => decodeBlock(Buffer.concat([bytes, Buffer.alloc(1)]))).toThrow(DecodeError);
  });
});

test('chain A: blocks decode, encode and hash; headers are as recorded', () => {
  const headers = chainAHeaders();
  for (const line of chainA()) {
    const header = headers[line.height];
    const bytes = hex(line.block);
    const parsed = parseBlock(bytes);
    const { block, coinbase } = parsed;
    expectBytes(encodeBlock(block), bytes);
    expect(parsed.hash.toString('hex')).toBe(line.hash);
    const transactions = line.transactions.map((transaction) => parseTransaction(hex(transaction)));
    const size = transactions.reduce((sum, transaction) => sum + transaction.size, coinbase.size);
    expect({
      height: line.height,
      prev_hash: block.previousHash.toString('hex'),
      major_version: block.majorVersion,
      minor_version: block.minorVersion,
      timestamp: Number(block.timestamp),
      nonce: block.nonce,
      transactionsCumulativeSize: size,
      block_size: bytes.length + size - coinbase.size,
      coinbase_tx_hash: coinbase.hash.toString('hex'),
      tx_hashes: transactions.map((transaction) => transaction.hash.toString('hex')),
    }).toEqual({
      height: header?.height,
      prev_hash: header?.prev_hash,
      major_version: header?.major_version,
      minor_version: header?.minor_version,
      timestamp: header?.timestamp,
      nonce: header?.nonce,
      transactionsCumulativeSize: header?.transactionsCumulativeSize,
      block_size: header?.block_size,
      coinbase_tx_hash: header?.coinbase_tx_hash,
      tx_hashes: header?.tx_hashes,
    });
    const raw = { block: bytes, transactions: transactions.map((transaction) => transaction.bytes) };
    const record = decodeRawBlock(encodeRawBlock(raw));
    expectBytes(record.block, bytes);
    expectBytes(Buffer.concat(record.transactions), Buffer.concat(raw.transactions));
    expect(record.transactions.map(({ length }) => length)).toEqual(
      transactions.map((transaction) => transaction.size),
    );
  }
});

describe('damaged blocks', () => {
  const samples = [...mainnetBlocks().map(({ block }) => block), hex(chainA()[120]?.block ?? '')];

  test('truncated at any byte are rejected', () => {
    for (const sample of samples) {
      for (let size = 0; size < sample.length; size++) {
        if (!refuses(() => decodeBlock(sample.subarray(0, size)), DecodeError))
          throw new Error(`decodes the first ${size} bytes`);
      }
    }
  });

  /** The block without the number after the coinbase of its parent, because ids do not depend on it. */
  const withoutNumber = ({ block }: { readonly block: Block }): string => {
    const parentBlock = block.parentBlock && {
      ...block.parentBlock,
      baseTransaction: { ...block.parentBlock.baseTransaction, ignored: 0n },
    };
    return encodeBlock({ ...block, ...(parentBlock && { parentBlock }) }).toString('hex');
  };

  test('with any changed byte are rejected or have one encoding and another id', () => {
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.nat(), fc.integer({ min: 1, max: 255 }), (sample, at, change) => {
        const bytes = Buffer.from(sample);
        const place = at % bytes.length;
        bytes[place] = (bytes[place] as number) ^ change;
        try {
          const parsed = parseBlock(bytes);
          expectBytes(encodeBlock(parsed.block), bytes);
          const original = parseBlock(sample);
          expect(parsed.hash.equals(original.hash)).toBe(withoutNumber(parsed) === withoutNumber(original));
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('random bytes are rejected', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 8 }), (bytes, version) => {
        expect(() => decodeBlock(Buffer.from([version, ...bytes]))).toThrow(DecodeError);
        expect(() => decodeRawBlock(Buffer.from([200, 1, version, ...bytes]))).toThrow(DecodeError);
      }),
    );
  });

  test.each([0, 8, 255])('version %i is rejected', (version) => {
    const bytes = Buffer.from(samples[0] as Buffer);
    bytes[0] = version;
    expect(() => decodeBlock(bytes)).toThrow(DecodeError);
  });
});

describe('the parent block', () => {
  /** Block 2 of mainnet: major, minor, 32 bytes of hash, parent major, minor, 5 bytes of time, 32 bytes of hash, nonce, count. */
  const sample = mainnetBlocks()[2]?.block as Buffer;
  const countAt = 2 + 32 + 2 + 5 + 32 + 4;

  function withCount(encoded: string): Buffer {
    return Buffer.concat([sample.subarray(0, countAt), hex(encoded), sample.subarray(countAt + 1)]);
  }

  test('has its transaction count truncated to 16 bits, and the id uses the truncated value', () => {
    const block = decodeBlock(withCount('818004'));
    expect(block.parentBlock?.transactionCount).toBe(1);
    expect(blockHash(block)).toEqual(blockHash(decodeBlock(sample)));
  });

  test('has the size of the encoding by the reference: the truncated count, and 0 after the extra of its coinbase', () => {
    const transactions = [Buffer.alloc(100), Buffer.alloc(23)];
    const expected = sample.length + 123;
    for (const count of ['01', '818004', '81808004', '8180808080808002']) {
      const bytes = withCount(count);
      expect(reportedBlockBytes(decodeBlock(bytes), transactions)).toBe(expected);
    }
    const plain = mainnetBlocks()[0]?.block as Buffer;
    expect(reportedBlockBytes(decodeBlock(plain), [])).toBe(plain.length);
    const block = decodeBlock(sample);
    const parent = block.parentBlock!;
    const withNumber = (ignored: bigint): Block => {
      const baseTransaction = { ...parent.baseTransaction, version: 2, ignored };
      return { ...block, parentBlock: { ...parent, baseTransaction } };
    };
    expect(encodeBlock(withNumber(300n)).length).toBe(sample.length + 2);
    expect(reportedBlockBytes(withNumber(300n), [])).toBe(sample.length + 1);
  });

  test.each(['00', '808004', '8180808080808080808001'.slice(0, 20)])('with the count %s is rejected', (count) => {
    expect(() => decodeBlock(withCount(count))).toThrow(DecodeError);
  });

  test('without a merge-mining tag, with too deep a tag or with too few hashes is rejected', () => {
    const tagAt = countAt + 1 + 5;
    expect(sample.subarray(tagAt, tagAt + 3).toString('hex')).toBe('032100');
    for (const [place, value] of [
      [tagAt, 4],
      [tagAt + 2, 0x7f],
    ] as const) {
      const bytes = Buffer.from(sample);
      bytes[place] = value;
      expect(() => decodeBlock(bytes)).toThrow(DecodeError);
    }
  });

  test('must fit its block when it is encoded', () => {
    const block = decodeBlock(sample);
    const parent = block.parentBlock;
    if (parent === undefined) throw new Error('a parent block was expected');
    expect(() => encodeBlock({ ...block, majorVersion: 1 })).toThrow(RangeError);
    const { parentBlock: _, ...bare } = block;
    expect(() => encodeBlock(bare)).toThrow(RangeError);
    expect(() => encodeBlock({ ...block, parentBlock: { ...parent, transactionCount: 2 } })).toThrow(RangeError);
    expect(() => encodeBlock({ ...block, parentBlock: { ...parent, blockchainBranch: [Buffer.alloc(32)] } })).toThrow(
      RangeError,
    );
  });
});

test('a dump record with differing counts is rejected', () => {
  const record = encodeRawBlock({ block: Buffer.from([1]), transactions: [Buffer.from([2, 3])] });
  expect(record.toString('hex')).toBe('0101' + '0101' + '020203');
  record[3] = 0;
  expect(() => decodeRawBlock(record)).toThrow('the two transaction counts differ');
});
