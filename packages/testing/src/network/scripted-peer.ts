import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import * as commands from '@wrkz/levin';
import { ByteBudget, Command, encodeFrame, type Frame, type FrameKind, FrameParser } from '@wrkz/levin';

export const NETWORK_ID = Buffer.from('wrkz devnet 0001');

/**
 * A peer whose frames a test sends one by one: honest, silent or malicious. Frames that the test has not awaited are in `left`.
 */
export class ScriptedPeer {
  private readonly arrived: Frame[] = [];
  private readonly waiting: { command: number | undefined; resolve: (frame: Frame) => void }[] = [];
  private readonly parser = new FrameParser({
    limitOf: () => 100_000_000,
    onFrame: (frame) => {
      this.take(frame);
    },
    budget: new ByteBudget(1_000_000_000),
  });
  /** Resolves when the other side has closed. */
  readonly closed: Promise<void>;
  isClosed = false;

  constructor(readonly socket: Socket) {
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.isClosed = true;
        resolve();
      });
    });
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      this.parser.push(bytes);
    });
  }

  static async dial(port: number, host = '127.0.0.1'): Promise<ScriptedPeer> {
    const socket = connect(port, host);
    await once(socket, 'connect');
    return new ScriptedPeer(socket);
  }

  raw(bytes: Buffer): void {
    if (!this.isClosed) this.socket.write(bytes);
  }

  send(command: number, body: Buffer, kind: FrameKind = 'notification', returnCode = 0): void {
    this.raw(encodeFrame({ command, kind, returnCode, body }));
  }

  reply(command: number, body: Buffer): void {
    this.send(command, body, 'response', 1);
  }

  /** The next frame of any command. */
  next(): Promise<Frame> {
    return this.wait(undefined);
  }

  /** The next frame of a command; others stay queued. */
  nextOf(command: number): Promise<Frame> {
    return this.wait(command);
  }

  /** Frames that arrived and were not awaited. */
  get left(): readonly Frame[] {
    return this.arrived;
  }

  end(): void {
    this.socket.destroy();
  }

  /** Performs the handshake as the connecting side and returns the response. */
  async handshake(data: {
    height: number;
    tip: Buffer;
    peerId?: bigint;
    port?: number;
    version?: number;
  }): Promise<commands.HandshakeResponse> {
    this.send(Command.handshake, commands.handshakeRequest.encode(hello(data)), 'request');
    const frame = await this.nextOf(Command.handshake);
    return commands.handshakeResponse.decode(frame.body);
  }

  /** Responds to the handshake of a node that has connected. */
  async handleHandshake(data: { height: number; tip: Buffer; peerId?: bigint; version?: number }): Promise<void> {
    await this.nextOf(Command.handshake);
    this.reply(Command.handshake, commands.handshakeResponse.encode({ ...hello(data), peers: [], peers6: [] }));
  }

  /** Sends a timed sync. After its response the node has handled everything sent before. */
  async settle(data: { height: number; tip: Buffer }): Promise<commands.TimedSyncResponse> {
    const syncData = { currentHeight: data.height, tipHash: data.tip };
    this.send(Command.timedSync, commands.timedSyncRequest.encode({ syncData }), 'request');
    for (;;) {
      const frame = await this.nextOf(Command.timedSync);
      if (frame.kind === 'response') return commands.timedSyncResponse.decode(frame.body);
    }
  }

  /** NOTIFY_RESPONSE_CHAIN_ENTRY: the first hash is at `startHeight`, `totalHeight` is a count. */
  sendChain(startHeight: number, hashes: readonly Buffer[], totalHeight: number): void {
    this.send(Command.responseChain, commands.responseChain.encode({ startHeight, totalHeight, hashes }));
  }

  /** NOTIFY_RESPONSE_GET_OBJECTS. */
  sendObjects(response: Pick<commands.ResponseObjects, 'currentHeight'> & Partial<commands.ResponseObjects>): void {
    const message = { transactions: [], blocks: [], missed: [], ...response };
    this.send(Command.responseObjects, commands.responseObjects.encode(message));
  }

  /** NOTIFY_NEW_LITE_BLOCK. */
  sendLiteBlock(block: Buffer, currentHeight: number, hop = 0): void {
    this.send(Command.newLiteBlock, commands.newLiteBlock.encode({ currentHeight, hop, block }));
  }

  /** NOTIFY_NEW_TRANSACTIONS. */
  sendTransactions(transactions: readonly Buffer[]): void {
    this.send(Command.newTransactions, commands.newTransactions.encode({ transactions }));
  }

  private take(frame: Frame): void {
    const index = this.waiting.findIndex(({ command }) => command === undefined || command === frame.command);
    const [waiter] = index < 0 ? [] : this.waiting.splice(index, 1);
    if (waiter === undefined) this.arrived.push(frame);
    else waiter.resolve(frame);
  }

  private wait(command: number | undefined): Promise<Frame> {
    const index = this.arrived.findIndex((frame) => command === undefined || command === frame.command);
    const found = this.arrived[index];
    if (found !== undefined) {
      this.arrived.splice(index, 1);
      return Promise.resolve(found);
    }
    return new Promise((resolve) => this.waiting.push({ command, resolve }));
  }
}

/** The handshake request of a scripted peer. */
export function hello(data: {
  height: number;
  tip: Buffer;
  peerId?: bigint;
  port?: number;
  version?: number;
}): commands.HandshakeRequest {
  return {
    nodeData: {
      networkId: NETWORK_ID,
      version: data.version ?? 19,
      peerId: data.peerId ?? 77n,
      localTime: BigInt(Math.floor(Date.now() / 1000)),
      myPort: data.port ?? 0,
    },
    syncData: { currentHeight: data.height, tipHash: data.tip },
  };
}

/** A port to which nodes can connect; each connection becomes a scripted peer. */
export class ScriptedServer {
  private readonly callers: ScriptedPeer[] = [];
  private readonly waiting: ((peer: ScriptedPeer) => void)[] = [];

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      const peer = new ScriptedPeer(socket);
      const waiter = this.waiting.shift();
      if (waiter === undefined) this.callers.push(peer);
      else waiter(peer);
    });
  }

  static async listen(): Promise<ScriptedServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedServer(server);
  }

  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: (this.server.address() as AddressInfo).port };
  }

  caller(): Promise<ScriptedPeer> {
    const peer = this.callers.shift();
    return peer === undefined ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve(peer);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }
}
