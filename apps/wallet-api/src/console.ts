import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';

const HELP = ['Commands:', '  exit, quit   save the wallet and leave', '  help         this list'];

export interface WalletConsoleParts {
  readonly input: NodeJS.ReadableStream;
  readonly write: (line: string) => void;
  /** exit, quit, and the end of the input. */
  readonly leave: () => void;
}

/**
 * Whether somebody may type here: a terminal, or a program at the other end. A service manager, a container and `&` in a
 * script give `/dev/null`, whose end is none of a console.
 */
export function isConsole(descriptor: number): boolean {
  if (isatty(descriptor)) return true;
  try {
    const input = fstatSync(descriptor);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}

/** Reads commands, a line each. @returns ends it */
export function startConsole({ input, write, leave }: WalletConsoleParts): () => void {
  const lines = createInterface({ input });
  let isEnded = false;
  lines.on('line', (line) => {
    const command = line.trim().toLowerCase();
    if (command === 'exit' || command === 'quit') {
      isEnded = true;
      lines.close();
      leave();
    } else if (command === 'help') HELP.forEach(write);
    else if (command !== '') write(`Unknown command: ${command}. Type help for the commands.`);
  });
  lines.on('close', () => {
    if (isEnded) return;
    write(
      'The console has ended: the wallet is saved, and the service leaves. It stays without one with --no-console.',
    );
    leave();
  });
  return () => {
    isEnded = true;
    lines.close();
  };
}
