import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';

const HELP = ['Commands:', '  exit, quit   save the wallet and stop the service', '  help         show this list'];

export interface ConsoleOptions {
  readonly input: NodeJS.ReadableStream;
  readonly write: (line: string) => void;
  /** Called on `exit`, `quit` and the end of the input. */
  readonly stop: () => void;
}

/**
 * Whether a file descriptor is used for console commands: a terminal, pipe or socket. With `/dev/null`, the input under
 * service managers, in containers and with `&` in scripts, the immediate end of input must not stop the service.
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

/** Reads commands, one per line. @returns closes the console */
export function startConsole({ input, write, stop }: ConsoleOptions): () => void {
  const lines = createInterface({ input });
  let isClosed = false;
  lines.on('line', (line) => {
    const command = line.trim().toLowerCase();
    if (command === 'exit' || command === 'quit') {
      isClosed = true;
      lines.close();
      stop();
    } else if (command === 'help') HELP.forEach(write);
    else if (command !== '') write(`Unknown command: ${command}. Type help for the commands.`);
  });
  lines.on('close', () => {
    if (isClosed) return;
    write('End of console input: saving the wallet and stopping. Use --no-console to run without a console.');
    stop();
  });
  return () => {
    isClosed = true;
    lines.close();
  };
}
