import { mkdtempSync, renameSync, rmdirSync, rmSync, statSync, chmodSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';

/** The longest path of a socket; what is longer the system would cut in silence. */
const LONGEST_PATH = 107;

/**
 * Makes a socket file that nobody but its owner could ever connect to: it is bound in a folder of its own with mode 0700,
 * closed to others, and then moved to its place. What stands there already is replaced only if it is a socket without a
 * listener.
 * @param bind makes the socket at the path it is given
 * @returns removes the file again
 * @throws Error with a message for the operator
 */
export async function bindPrivately(asked: string, bind: (path: string) => Promise<void>): Promise<() => void> {
  const path = resolve(asked);
  await refuseOccupied(path);
  const folder = mkdtempSync(join(dirname(path), '.z'));
  const made = join(folder, 's');
  try {
    if (Buffer.byteLength(path) > LONGEST_PATH || Buffer.byteLength(made) > LONGEST_PATH)
      throw new Error(`the path of a socket has at most ${String(LONGEST_PATH)} bytes`);
    await bind(made);
    chmodSync(made, 0o600);
    renameSync(made, path);
  } finally {
    rmSync(made, { force: true });
    rmdirSync(folder);
  }
  const { ino } = statSync(path);
  return () => {
    if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
  };
}

async function refuseOccupied(path: string): Promise<void> {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isSocket()) throw new Error(`${basename(path)} is there already, and is no socket`);
  if (await answers(path)) throw new Error('another program listens there');
}

function answers(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}
