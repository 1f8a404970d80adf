import { COMMANDS } from './commands';

/** Completes the name of a command, and the words that may follow it: what may stand there, and what it completes. */
export function completeLine(line: string): [completions: string[], completed: string] {
  const [name = '', ...rest] = line.trimStart().split(/\s+/);
  if (rest.length === 0)
    return [
      startingWith(
        COMMANDS.map((command) => command.name),
        name,
      ),
      name,
    ];
  const [word = '', ...more] = rest;
  const words = COMMANDS.find((command) => command.name === name)?.words ?? [];
  return more.length > 0 ? [[], ''] : [startingWith(words, word), word];
}

function startingWith(words: readonly string[], start: string): string[] {
  return words.filter((word) => word.startsWith(start)).map((word) => `${word} `);
}
