import { statSync } from 'node:fs';
import { checkApiKey, errorText, readOperatorFile, UsageError } from '@wrkz/service-kit';

interface TokenOptions {
  readonly 'rpc-access-token': string;
  readonly 'rpc-access-token-file': string;
}

/** The token that RPC requests must carry; empty for none. */
export interface AccessToken {
  readonly current: string | (() => string);
  /** Reads the token file again and returns the token; undefined without a file. @throws UsageError; the old token stays valid */
  readonly reload: (() => string) | undefined;
}

export const TWO_ACCESS_TOKENS = '--rpc-access-token and --rpc-access-token-file are both set: choose one';

export function hasTwoAccessTokens(values: Readonly<Record<string, unknown>>): boolean {
  return values['rpc-access-token'] !== '' && values['rpc-access-token-file'] !== '';
}

/** @throws UsageError if the file cannot be used */
export function accessToken(options: TokenOptions): AccessToken {
  const file = options['rpc-access-token-file'];
  if (file === '') return { current: options['rpc-access-token'], reload: undefined };
  let token = readTokenFile(file);
  return { current: () => token, reload: () => (token = readTokenFile(file)) };
}

/** Forbidden permissions of a token file: write for the group, all for others. */
const FORBIDDEN_MODE = 0o027;

function readTokenFile(path: string): string {
  const invalid = (why: string): UsageError => new UsageError(`--rpc-access-token-file: ${path}: ${why}`);
  let text: string;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    text = readOperatorFile(path)
      .toString('utf8')
      .replace(/\r?\n$/, '');
  } catch (error) {
    throw invalid(errorText(error));
  }
  if (process.platform !== 'win32' && (mode & FORBIDDEN_MODE) !== 0)
    throw invalid('other users can read or change the file; set its mode to 600');
  if (text === '') throw invalid('the file is empty');
  const problem = checkApiKey(text);
  if (problem !== undefined) throw invalid(problem);
  return text;
}
