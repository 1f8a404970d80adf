import type { ReasonCode, RuleFailure, VerifiedBlock } from '@wrkz/consensus';

/** The result of checking a block or a transaction; undefined for a valid transaction. */
export type Verdict = RuleFailure | VerifiedBlock | undefined;

/**
 * A test for a refusal with exactly this reason. reasons.test.ts collects these calls and fails for a reason of the table
 * without one.
 */
export function refuses(code: ReasonCode, title: string, judge: () => Promise<Verdict> | Verdict): void {
  test(`${code}: ${title}`, async () => {
    const verdict = await judge();
    expect(codeOf(verdict)).toBe(code);
  });
}

/** The counterpart of a refusal: a value that the rule just allows. */
export function accepts(title: string, judge: () => Promise<Verdict> | Verdict): void {
  test(`accepted: ${title}`, async () => {
    expect(codeOf(await judge())).toBe('valid');
  });
}

function codeOf(verdict: Verdict): string {
  return verdict !== undefined && 'code' in verdict ? verdict.code : 'valid';
}
