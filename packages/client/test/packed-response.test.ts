import fc from 'fast-check';
import { NodeFailure, PackedBlock, readPackedResponse, readSyncResponse, type SyncResponse } from '../src';
import { ColumnRoom } from '../src/packed-response';

/** All fields of a response; decodes packed blocks. */
function plain({ blocks, scannedTo, tip }: SyncResponse): object {
  return {
    ...{ scannedTo, tip },
    blocks: blocks.map(({ height, hash, timestamp, coinbase, transactions }) => {
      return { height, hash, timestamp, coinbase, transactions };
    }),
  };
}

function readPacked(text: string | Buffer, room?: ColumnRoom): SyncResponse | undefined {
  const reading = readPackedResponse(Buffer.from(text), room);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/** The result of a parser; 'malformed' for a rejected text. */
function outcome(read: () => SyncResponse | undefined): object | string | undefined {
  try {
    const response = read();
    return response && plain(response);
  } catch (error) {
    if (error instanceof NodeFailure && error.kind === 'malformed') return 'malformed';
    throw error;
  }
}

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const amount = fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(2n ** 53n - 2n, 2n ** 53n + 2n), fc.bigInt(0n, 9n));
const outputs = fc
  .array(fc.tuple(amount, key), { maxLength: 3 })
  .map((all) => all.map(([value, name]) => `{"amount":${String(value)},"key":"${name}"}`).join(','));
const inputs = fc
  .array(fc.tuple(amount, key), { maxLength: 3 })
  .map((all) => all.map(([value, name]) => `{"amount":${String(value)},"k_image":"${name}"}`).join(','));
const paymentId = fc.constantFrom('', 'ab'.repeat(8), 'cd'.repeat(32));
const prefix = fc.tuple(key, outputs, key, amount).map(([hash, all, publicKey, unlockTime]) => {
  return `"hash":"${hash}","outputs":[${all}],"txPublicKey":"${publicKey}","unlockTime":${String(unlockTime)}`;
});
const transaction = fc.tuple(prefix, inputs, paymentId).map(([first, all, id]) => {
  return `{${first},"inputs":[${all}],"paymentID":"${id}"}`;
});
const block = fc.tuple(key, fc.nat(), fc.option(prefix), fc.array(transaction, { maxLength: 3 }));
const body = fc
  .tuple(
    fc.array(block, { maxLength: 4 }),
    fc.nat(),
    fc.constantFrom('', `,"topBlock":{"hash":"${'e'.repeat(64)}","height":9}`),
  )
  .map(([blocks, start, tip]) => {
    const items = blocks.map(([hash, timestamp, coinbase, transactions], i) => {
      const first = coinbase === null ? '' : `,"coinbaseTX":{${coinbase}}`;
      return (
        `{"blockHash":"${hash}","blockHeight":${String(start + i)},"blockTimestamp":${String(timestamp)}${first},` +
        `"transactions":[${transactions.join(',')}]}`
      );
    });
    return `{"items":[${items.join(',')}],"scannedToHeight":7,"status":"OK","synced":false${tip}}`;
  });

test('reads the responses of our nodes like the general parser, without decoding their blocks', () => {
  // Columns are reused, with the values of an earlier response.
  const room = new ColumnRoom();
  fc.assert(
    fc.property(body, (text) => {
      const packed = readPacked(text, room);
      expect(packed?.blocks.every((one) => one instanceof PackedBlock)).toBe(true);
      expect(packed && plain(packed)).toEqual(plain(readSyncResponse(Buffer.from(text))));
    }),
  );
});

test('leaves every other text to the general parser, or reads it with the same result', () => {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat(3),
    added: fc.oneof(
      fc.constantFrom('', ' ', '0', '9', '"', ',', '{', '}', ']', '-', '.', 'e', '='),
      fc.string({ maxLength: 3 }),
    ),
  });
  fc.assert(
    fc.property(body, change, (text, { at, removed, added }) => {
      const start = Math.floor(at * text.length);
      const changed = text.slice(0, start) + added + text.slice(start + removed);
      const packed = outcome(() => readPacked(changed));
      if (packed === undefined) return;
      expect(packed).toEqual(outcome(() => readSyncResponse(Buffer.from(changed))));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['an amount above 64 bits', '"amount":18446744073709551616'],
  ['an amount with a leading zero', '"amount":01'],
  ['an amount with a fraction', '"amount":1.0'],
])('does not read %s', (_name, amountText) => {
  const zero = Buffer.alloc(32).toString('base64');
  const text = (value: string): string =>
    `{"items":[{"blockHash":"${zero}","blockHeight":1,"blockTimestamp":1,"coinbaseTX":{"hash":"${zero}","outputs":` +
    `[{${value},"key":"${zero}"}],"txPublicKey":"${zero}","unlockTime":0},"transactions":[]}],"status":"OK","synced":false}`;
  expect(readPacked(text('"amount":18446744073709551615'))?.blocks[0]?.coinbase?.outputs[0]?.amount).toBe(
    2n ** 64n - 1n,
  );
  expect(readPacked(text(amountText))).toBeUndefined();
});

test('leaves texts that would block the event loop to the parser thread', () => {
  const zero = Buffer.alloc(32).toString('base64');
  const end = '"status":"OK","synced":false';
  const text = (outputs: string, more = ''): string =>
    `{"items":[{"blockHash":"${zero}","blockHeight":1,"blockTimestamp":1,"coinbaseTX":{"hash":"${zero}","outputs":` +
    `[${outputs}],"txPublicKey":"${zero}","unlockTime":0},"transactions":[]}],${end}${more}}`;
  const output = `{"amount":1,"key":"${zero}"}`;
  expect(readPacked(text(output))).toBeDefined();
  expect(readPacked(text(Array<string>(20_000).fill(output).join(',')))).toBeUndefined();
  expect(readPacked(text(output, `,"more":[${'1,'.repeat(1_000)}1]`))).toBeUndefined();
});

test('a block without its coinbase has the same transactions', () => {
  fc.assert(
    fc.property(body, (text) => {
      for (const one of readPacked(text)?.blocks ?? []) {
        if (!(one instanceof PackedBlock)) throw new Error('not packed');
        const without = one.withoutCoinbase();
        expect(without.coinbase).toBeUndefined();
        expect(without.transactions).toEqual(one.transactions);
        expect(without.scanColumns().outputCounts.length).toBe(one.transactions.length);
        expect(without.keyImages.toString('hex')).toBe(
          one.transactions.flatMap((each) => each.inputs.map(({ keyImage }) => keyImage)).join(''),
        );
      }
    }),
  );
});
