import { readSyncResponse, type SyncBlock } from '@wrkz/client/reading';
import { serveThread } from '@wrkz/service-kit/base';
import { PARSER_ERRORS, type ParserThread } from './protocol';

/** Max number of keys, hashes and amounts in one piece. */
const PIECE = 3_000;

interface Rest {
  readonly blocks: readonly SyncBlock[];
  given: number;
}

serveThread<ParserThread>(() => {
  const responses = new Map<number, Rest>();
  let lastId = 0;
  return {
    ready: undefined,
    calls: {
      open: (body) => {
        const { blocks, scannedTo, tip } = readSyncResponse(Buffer.from(body.buffer, body.byteOffset, body.length));
        responses.set(++lastId, { blocks, given: 0 });
        return { id: lastId, scannedTo, tip };
      },
      take: (id) => {
        const rest = responses.get(id);
        const piece = rest === undefined ? [] : nextPiece(rest);
        if (piece.length === 0) responses.delete(id);
        return piece;
      },
    },
    close: () => responses.clear(),
  };
}, PARSER_ERRORS);

function nextPiece(rest: Rest): SyncBlock[] {
  const piece: SyncBlock[] = [];
  for (let values = 0; values < PIECE; rest.given++) {
    const block = rest.blocks[rest.given];
    if (block === undefined) break;
    piece.push(block);
    values += 3 + (block.coinbase?.outputs.length ?? 0);
    for (const { inputs, outputs } of block.transactions) values += 3 + inputs.length + outputs.length;
  }
  return piece;
}
