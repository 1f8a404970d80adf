import { closeReasons } from '../../../src/p2p/limits/close-reasons';
import { ownWork } from '../../../src/p2p/limits/address-budget';
import { AnnouncedBlocks } from '../../../src/p2p/relay/announcements';
import type { Session } from '../../../src/p2p/session/session';
import { sha256, toyBlock, toyChain, toyCodec } from '../fakes';

const blocks = toyChain(2);
const tip = sha256(blocks[2]?.block ?? Buffer.alloc(0));

test('checks the work of a block again for the next announcer after an error', async () => {
  const results = [Promise.reject(new Error('busy')), Promise.resolve('holds' as const)];
  const judged: Buffer[] = [];
  const closed: unknown[] = [];
  const session = {
    budget: { work: ownWork },
    isOpen: true,
    state: 'normal',
    close: (reason: unknown) => closed.push(reason),
  } as unknown as Session;
  const announced = new AnnouncedBlocks({
    chain: {
      isKnown: (hash) => hash.equals(tip),
      largestBlock: () => 1_000_000,
      transactionsOfBlock: () => 10,
      checkProofOfWork: (bytes) => {
        judged.push(bytes);
        return results[judged.length - 1] ?? Promise.resolve('fails' as const);
      },
    },
    codec: toyCodec,
    requestSync: () => undefined,
  });
  const { block } = toyBlock(tip, 7);
  await expect(announced.admit(session, block)).rejects.toThrow('busy');
  expect(await announced.admit(session, block)).toBe(true);
  expect(await announced.admit(session, block)).toBe(true);
  expect(judged.length).toBe(2);
  expect(await announced.admit(session, toyBlock(tip, 8).block)).toBe(false);
  expect(closed).toEqual([closeReasons.invalidBlock]);
});
