import { createInterface } from 'node:readline';

const HELP = ['Commands:', '  exit, quit   save the wallet and leave', '  help         this list'];

export interface WalletConsoleParts {
  readonly input: NodeJS.ReadableStream;
  readonly write: (line: string) => void;
  /** exit, quit, and the end of the input. */
  readonly leave: () => void;
}

/** Reads commands, a line each. @returns ends it */
export function startConsole({ input, write, leave }: WalletConsoleParts): () => void {
  const lines = createInterface({ input });
  let isEnded = false;
  lines.on('line', (line) => {
    const command = line.trim().toLowerCase();
    if (command === 'exit' || command === 'quit') lines.close();
    else if (command === 'help') HELP.forEach(write);
    else if (command !== '') write(`Unknown command: ${command}. Type help for the commands.`);
  });
  lines.on('close', () => {
    if (!isEnded) leave();
  });
  return () => {
    isEnded = true;
    lines.close();
  };
}
