import {
  parseBlock,
  parseExtraWallet,
  parseTransaction,
  type ParsedTransaction,
  type RawBlock,
} from '@wrkz/core-types';

/* A simple implementation of the items of `/getwalletsyncdata`: parses, hashes and builds objects. */

interface Options {
  readonly skipCoinbase: boolean;
  readonly skipKeyOffsets: boolean;
  readonly encoding: 'hex' | 'base64';
}

/** One item as JSON. Fields are in ascending order, amounts are exact. */
export function plainItem(raw: RawBlock, height: number, { encoding, ...options }: Options): string {
  const parsed = parseBlock(raw.block);
  const text = (bytes: Buffer): string => bytes.toString(encoding);
  return print({
    blockHash: text(parsed.hash),
    blockHeight: height,
    blockTimestamp: parsed.block.timestamp,
    ...(options.skipCoinbase ? {} : { coinbaseTX: common(parsed.coinbase, text) }),
    transactions: raw.transactions.map((bytes) => {
      const parsedTransaction = parseTransaction(bytes);
      return {
        ...common(parsedTransaction, text),
        inputs: parsedTransaction.transaction.inputs.map((input) =>
          input.type === 'base'
            ? {}
            : {
                amount: input.amount,
                k_image: text(input.keyImage),
                ...(options.skipKeyOffsets ? {} : { key_offsets: input.keyOffsets }),
              },
        ),
        paymentID: parseExtraWallet(parsedTransaction.transaction.extra).paymentId,
      };
    }),
  });
}

function common({ hash, transaction }: ParsedTransaction, text: (bytes: Buffer) => string): object {
  return {
    hash: text(hash),
    outputs: transaction.outputs.map(({ amount, key }) => ({ amount, key: text(key) })),
    txPublicKey: text(parseExtraWallet(transaction.extra).publicKey),
    unlockTime: transaction.unlockTime,
  };
}

/** JSON whose bigints are numbers with all their digits. */
function print(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'bigint' ? `#${inner.toString()}#` : inner,
  ).replace(/"#(\d+)#"/g, '$1');
}
