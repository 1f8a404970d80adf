import { createMetrics } from '@wrkz/service-kit';
import { SteppedClock } from '@wrkz/testing';
import { sha256, toyBlock, toyChain } from '../fakes';
import { Harness } from '../harness';

const harness = new Harness();
const blocks = toyChain(3);
afterEach(() => harness.stop());

describe('a tip that no block follows', () => {
  it('is stale after 30 minutes, with one warning, until the chain grows', async () => {
    const clock = new SteppedClock();
    const { node, chain, logger } = await harness.node(blocks, {}, { clock });
    const metrics = createMetrics('wrkz_');
    node.publish(metrics);
    const warnings = (): number => logger.lines.filter((line) => line.includes('no new block for 30 minutes')).length;
    clock.advance(30 * 60_000 - 1_000);
    expect([node.isTipStale(), warnings()]).toEqual([false, 0]);
    clock.advance(2_000);
    clock.advance(60_000);
    chain.emit('commit', { kind: 'switch', added: [] } as never);
    expect([node.isTipStale(), warnings()]).toEqual([true, 1]);
    expect(await metrics.registry.metrics()).toMatch(/wrkz_tip_stale(\{[^}]*\})? 1\n/);
    chain.add(toyBlock(sha256(blocks[3]?.block ?? Buffer.alloc(0)), 5));
    expect(node.isTipStale()).toBe(false);
    clock.advance(30 * 60_000 + 1_000);
    expect([node.isTipStale(), warnings()]).toEqual([true, 2]);
  });

  it('is never stale on a network where blocks are made on demand', async () => {
    const clock = new SteppedClock();
    const { node } = await harness.node(blocks, { synchronizedAlone: true }, { clock });
    clock.advance(24 * 3_600_000);
    expect(node.isTipStale()).toBe(false);
  });
});
