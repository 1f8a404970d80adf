import { mnemonicWords } from './mnemonic-words';

/*
 * Seeds of 25 words (docs/protocol/wallet.md#seeds): three words for each four bytes of the spend key, and one of those
 * 24 words again, selected by a checksum over the first three letters of each.
 */

/** Errors of a seed, with the numbers of the C++ wallets. */
export const mnemonicErrorCodes = { invalid: 7, invalidWord: 33, wrongLength: 34, invalidChecksum: 35 } as const;

/** An error with the text of the C++ wallets. */
export class MnemonicError extends Error {
  override readonly name = 'MnemonicError';
  readonly code: number;

  constructor(name: keyof typeof mnemonicErrorCodes, message: string) {
    super(message);
    this.code = mnemonicErrorCodes[name];
  }
}

const WORDS = mnemonicWords.length;
const SEED_LENGTH = 25;
const indexOf: ReadonlyMap<string, number> = new Map(mnemonicWords.map((word, index) => [word, index]));

/** CRC-32 (reflected polynomial edb88320). */
function crc32(text: string): number {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

function checksumWord(words: readonly string[]): string {
  const start = words.map((word) => word.slice(0, 3)).join('');
  return words[crc32(start) % words.length] as string;
}

/** The 25 words for a 32-byte secret key. */
export function encodeMnemonic(secretKey: Uint8Array): string {
  if (secretKey.length !== 32) throw new RangeError(`a secret key has 32 bytes, not ${secretKey.length}`);
  const bytes = Buffer.from(secretKey);
  const words: string[] = [];
  for (let i = 0; i < bytes.length; i += 4) {
    const value = bytes.readUInt32LE(i);
    const first = value % WORDS;
    const second = (Math.floor(value / WORDS) + first) % WORDS;
    const third = (Math.floor(value / WORDS / WORDS) + second) % WORDS;
    for (const index of [first, second, third]) words.push(mnemonicWords[index] as string);
  }
  bytes.fill(0);
  return [...words, checksumWord(words)].join(' ');
}

function wordGroup(words: readonly string[], start: number): number {
  // Upper-case words pass the check against the list, but the checksum only by chance; they are invalid here.
  const [first, second, third] = [0, 1, 2].map((i) => indexOf.get(words[start + i] as string));
  if (first === undefined || second === undefined || third === undefined) {
    throw new MnemonicError('invalid', 'The mnemonic seed given is invalid.');
  }
  const value = first + WORDS * ((WORDS - first + second) % WORDS) + WORDS * WORDS * ((WORDS - second + third) % WORDS);
  if (value > 0xffff_ffff) throw new MnemonicError('invalid', 'The mnemonic seed given is invalid.');
  return value;
}

/** The C++ programs split at ASCII white space. A non-breaking or ideographic space is part of a word. */
const SEPARATORS = /[ \t\n\v\f\r]+/;

/** The C++ programs convert only ASCII letters. */
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The 32-byte key of 25 words, separated by ASCII white space. Does not check that the key is a reduced scalar: the wallet does.
 * @throws MnemonicError
 */
export function decodeMnemonic(text: string): Buffer {
  const words = text.split(SEPARATORS).filter((word) => word !== '');
  if (words.length !== SEED_LENGTH) {
    throw new MnemonicError(
      'wrongLength',
      'The mnemonic seed given is the wrong length. It should be 25 words long, ' +
        `but it is ${words.length} ${words.length === 1 ? 'word' : 'words'} long.`,
    );
  }
  for (const word of words.map(lowerCase)) {
    if (!indexOf.has(word)) {
      throw new MnemonicError(
        'invalidWord',
        `The mnemonic seed given has a word that is not present in the english word list (${word}).`,
      );
    }
  }
  const spoken = words.slice(0, -1);
  if (lowerCase(words.at(-1) as string) !== lowerCase(checksumWord(spoken))) {
    throw new MnemonicError('invalidChecksum', 'The mnemonic seed given has an invalid checksum word.');
  }
  const key = Buffer.alloc(32);
  for (let i = 0; i < 8; i++) key.writeUInt32LE(wordGroup(spoken, i * 3), i * 4);
  return key;
}
