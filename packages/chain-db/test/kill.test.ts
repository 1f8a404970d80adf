import { verifyChain } from '../src';
import { chainA } from './support/chain-a';
import { runProgram } from './support/child';
import { cleanUp, freshDirectory, openHere, writerOf } from './support/directories';

afterEach(cleanUp);

test('killed in mid-write it comes up sound, at a height that was committed', async () => {
  const directory = freshDirectory();
  const blocks = chainA();
  for (const commits of [1, 7, 25]) {
    const child = runProgram('write.ts', directory);
    expect(await child.line()).toBe('open');
    let printed = 0;
    for (let i = 0; i < commits; i++) printed = Number(await child.line());
    child.process.kill('SIGKILL');
    expect(await child.ended).toBe('SIGKILL');

    const db = openHere({ directory });
    const { height } = await verifyChain(db).then((report) => {
      expect(report.problems).toEqual([]);
      return report;
    });
    expect(height).toBeGreaterThanOrEqual(Math.min(printed, 200));
    const twin = openHere();
    writerOf(twin).append(blocks.slice(0, height + 1));
    expect((await verifyChain(db)).digest).toBe((await verifyChain(twin)).digest);
    db.close();
  }
}, 60_000);
