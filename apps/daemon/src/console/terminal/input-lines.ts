import { StringDecoder } from 'node:string_decoder';
import { yieldToEventLoop } from '@wrkz/service-kit';

/** Characters of the longest line that is taken. */
export const LONGEST_LINE = 8 * 1024;

/** Lines as they come; one that is too long is told of once and left out. Bytes that are no UTF-8 are replaced. */
export async function* inputLines(
  input: AsyncIterable<Buffer | string>,
  onTooLong: () => void,
): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder('utf8');
  const last = (): string => decoder.end();
  let held = '';
  let skipping = false;
  const take = (text: string): string[] => {
    const pieces = (held + text).split('\n');
    held = pieces.pop() ?? '';
    const lines = pieces.filter((piece, i) => {
      const isRest = i === 0 && skipping;
      if (i === 0) skipping = false;
      if (!isRest && piece.length > LONGEST_LINE) onTooLong();
      return !isRest && piece.length <= LONGEST_LINE;
    });
    if (held.length > LONGEST_LINE) {
      if (!skipping) onTooLong();
      skipping = true;
      held = '';
    }
    return lines.map((line) => line.replace(/\r$/, ''));
  };
  for await (const chunk of input) yield* take(typeof chunk === 'string' ? chunk : decoder.write(chunk));
  yield* take(`${last()}`);
  if (held !== '' && !skipping) yield held.replace(/\r$/, '');
}

/** Typed characters that the editor gets before anything else has its turn: it looks at the whole line for each one. */
const SLICE = 128;

/** What is typed or pasted, in slices; of a line that is too long the end is left out. */
export async function* typedSlices(input: AsyncIterable<Buffer | string>): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder('utf8');
  let length = 0;
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    for (let start = 0; start < text.length; start += SLICE) {
      let slice = '';
      for (const character of text.slice(start, start + SLICE)) {
        const isEnd = character < ' ' || character === '\u007f';
        // An arrow or a deletion is no part of the line; only the end of one begins a new count.
        if (character === '\r' || character === '\n' || character === '\u0015') length = 0;
        else if (!isEnd) length += 1;
        if (isEnd || length <= LONGEST_LINE) slice += character;
      }
      yield slice;
      if (start + SLICE < text.length) await yieldToEventLoop();
    }
  }
}
