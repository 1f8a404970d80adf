import { join } from 'node:path';
import { silentLogger, type Logger } from '@wrkz/service-kit';
import type { Suite, SuiteNode } from '@wrkz/testing';
import type { Daemon } from '../../../src/daemon';
import { DAEMON_OPTIONS } from '../../../src/config/options';
import { readServeRpc } from '../../../src/serve-rpc/config';
import { ServeRpc } from '../../../src/serve-rpc/serve-rpc';

/** A reader of this process, and where it listens. */
export interface RunningReader {
  readonly service: ServeRpc;
  readonly url: string;
  close(): Promise<void>;
}

export interface ReaderBeside {
  readonly dataDir: string;
  readonly socket: string;
  readonly args?: readonly string[];
  readonly logger?: Logger;
  readonly requestStop?: (code?: number) => void;
}

/** The command line of a reader on devnet without rate limits. */
function readerArguments(dataDir: string, socket: string): string[] {
  return [
    ...['serve-rpc', '--network', 'devnet', '--data-dir', dataDir, '--node-socket', socket],
    ...['--rpc-bind-port', '0', '--rpc-max-rpm', '0', '--log-level', '0'],
  ];
}

export async function startReader(beside: ReaderBeside): Promise<RunningReader> {
  const config = readServeRpc(
    [...readerArguments(beside.dataDir, beside.socket), ...(beside.args ?? [])],
    DAEMON_OPTIONS,
  );
  if (config === undefined) throw new Error('the command line asks for no reader');
  const service = new ServeRpc(config, {
    logger: beside.logger ?? silentLogger(),
    notice: () => undefined,
    control: { requestStop: beside.requestStop ?? (() => undefined) },
  });
  await service.start();
  return { service, url: `http://127.0.0.1:${String(service.port)}`, close: () => service.stop() };
}

export interface NodeWithReader {
  readonly node: SuiteNode<Daemon>;
  readonly socket: string;
  readonly reader: RunningReader;
}

/** A node with a local socket, and a reader beside it; both are closed with the suite. */
export async function nodeWithReader(
  suite: Suite<Daemon>,
  options: {
    readonly from?: string;
    readonly nodeArgs?: readonly string[];
    readonly args?: readonly string[];
    readonly logger?: Logger;
  } = {},
): Promise<NodeWithReader> {
  const socket = join(suite.folder(), 'node.sock');
  const node = await suite.node({
    ...(options.from === undefined ? {} : { from: options.from }),
    args: ['--rpc-ipc-path', socket, ...(options.nodeArgs ?? [])],
  });
  const { args, logger } = options;
  const reader = suite.closeAtEnd(
    await startReader({
      dataDir: node.dataDir,
      socket,
      ...(args && { args }),
      ...(logger && { logger }),
    }),
  );
  return { node, socket, reader };
}
