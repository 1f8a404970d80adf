import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { createMemoryLogger } from '@wrkz/service-kit';
import type { ChainService } from '../src/chain/service';
import { logChain } from '../src/progress/chain-log';
import { BlockProgress, durationText, notices, SyncProgressDisplay } from '../src/progress/progress';
import { Screen } from '../src/console/terminal/screen';

function stream(isTTY: boolean): { stream: NodeJS.WriteStream; text: () => string } {
  let text = '';
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  Object.assign(sink, {
    isTTY,
    columns: 120,
    rows: 30,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  return { stream: sink as unknown as NodeJS.WriteStream, text: () => text };
}

describe('progress', () => {
  it('is one line every 30 s without a terminal: blocks, percent, rate, time left', () => {
    const lines: string[] = [];
    const clock = { now: 0 };
    const progress = new BlockProgress({
      label: 'Synchronizing',
      write: (line) => lines.push(line),
      screen: new Screen(stream(false).stream),
      now: () => clock.now,
    });
    for (let second = 0; second <= 90; second++) {
      clock.now = second * 1000;
      progress.update(1000 + second * 50, 11_000);
    }
    expect(lines).toEqual([
      'Synchronizing: 2500 of 11000 blocks (22.7 %), 50.0 blocks/s, 3 min left',
      'Synchronizing: 4000 of 11000 blocks (36.3 %), 50.0 blocks/s, 3 min left',
      'Synchronizing: 5500 of 11000 blocks (50.0 %), 50.0 blocks/s, 110 s left',
    ]);
    progress.stop('done');
    expect(lines.at(-1)).toBe('done');
  });

  it('is a bar on a terminal', () => {
    const terminal = stream(true);
    const lines: string[] = [];
    const clock = { now: 0 };
    const progress = new BlockProgress({
      label: 'Importing',
      write: (line) => lines.push(line),
      screen: new Screen(terminal.stream),
      now: () => clock.now,
    });
    for (const height of [10, 10, 50]) {
      progress.update(height, 100);
      clock.now += 250;
    }
    progress.stop();
    expect(terminal.text()).toMatch(/Importing \S* 10% \| 10\/100 blocks \| 0\.0 blocks\/s \| unknown left/);
    expect(terminal.text()).toMatch(/Importing .*50% \| 50\/100 blocks/);
    expect(lines).toEqual([]);
  });

  it('is a line above the prompt, updated at most four times a second', () => {
    const shown: string[] = [];
    const clock = { now: 0 };
    const screen = { isTerminal: true, status: (text: string) => void shown.push(text) };
    const progress = new BlockProgress({
      label: 'Synchronizing',
      write: () => undefined,
      screen,
      now: () => clock.now,
    });
    for (; clock.now <= 1000; clock.now += 50) progress.update(500 + clock.now / 50, 1000);
    expect(shown).toHaveLength(4);
    expect(shown.at(-1)).toMatch(/^Synchronizing [█░]{16} 52% \| 520\/1000 blocks \| 20\.0 blocks\/s \| 24 s left$/);
    progress.stop();
    expect(shown.at(-1)).toBe('');
  });

  it.each([
    [1, '1 s'],
    [119, '119 s'],
    [121, '3 min'],
    [7200, '2 h 00 min'],
    [7260, '2 h 01 min'],
    [200_000, '2 d 7 h'],
  ])('prints %d seconds as %s', (seconds, text) => expect(durationText(seconds)).toBe(text));

  it('of a synchronization begins when the node is behind and ends when it has caught up', () => {
    const chain = new EventEmitter() as unknown as ChainService & EventEmitter;
    const lines: string[] = [];
    const peers = { height: 1000, networkHeight: () => peers.height };
    const display = new SyncProgressDisplay({
      chain,
      peers,
      write: (line) => lines.push(line),
      screen: new Screen(stream(false).stream),
    });
    const at = (height: number): boolean => chain.emit('commit', { tip: { height } });
    at(995);
    expect(lines).toEqual([]);
    at(100);
    at(500);
    at(999);
    expect(lines).toEqual(['Synchronized: 1000 blocks']);
    at(1000);
    expect(lines).toHaveLength(1);
    display.stop();
    at(100);
    expect(lines).toHaveLength(1);
  });
});

describe('startup notices', () => {
  it('are printed once at any log level', () => {
    const quiet = stream(false);
    const logger = createMemoryLogger('warning');
    notices(logger, quiet.stream)('listening');
    expect(quiet.text()).toBe('listening\n');
    expect(logger.lines).toEqual([]);
    const silent = stream(false);
    const infoLogger = createMemoryLogger('info');
    notices(infoLogger, silent.stream)('listening');
    expect(silent.text()).toBe('');
    expect(infoLogger.lines).toHaveLength(1);
  });
});

describe('the chain log', () => {
  const hash = Buffer.alloc(32, 0xab);
  const block = (height: number) => ({ height, hash, timestamp: 0, transactionHashes: [hash], keyImages: [] });
  const removed = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ height: 6 + i, hash, transactions: [] }));

  it('logs new blocks and reorganisations, deep ones as a warning', () => {
    const chain = new EventEmitter();
    const logger = createMemoryLogger();
    const end = logChain(chain as unknown as ChainService, logger);
    const commit = (event: object): boolean =>
      chain.emit('commit', { forkHeight: 5, added: [], removed: [], ...event });
    const tip = { height: 7, hash };
    commit({ kind: 'append', source: 'sync', added: [block(6)], tip });
    expect(logger.lines).toEqual([]);
    commit({ kind: 'append', source: 'relay', added: [block(6)], tip });
    expect(logger.linesOf('info').at(-1)).toContain(`block 6 ${hash.toString('hex')}, 1 transactions`);
    commit({ kind: 'switch', source: 'relay', added: [block(6), block(7)], removed: removed(1), tip });
    expect(logger.linesOf('info').at(-1)).toContain(
      'reorganised above block 5: 1 blocks replaced by 2, the tip is block 7',
    );
    commit({ kind: 'switch', source: 'sync', added: [block(6)], removed: removed(10), tip });
    expect(logger.linesOf('warning')).toHaveLength(1);
    commit({ kind: 'switch', source: 'rewind', removed: removed(2), tip });
    expect(logger.linesOf('info').at(-1)).toContain('rewound to block 5, 2 blocks removed');
    commit({ kind: 'alternative', height: 6, hash, tip });
    expect(logger.linesOf('debug').at(-1)).toContain('is stored on a side branch');
    end();
    commit({ kind: 'append', source: 'relay', added: [block(8)], tip });
    expect(logger.lines).toHaveLength(5);
  });
});
