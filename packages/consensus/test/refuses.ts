import type { ReasonCode, RuleFailure, VerifiedBlock } from '@wrkz/consensus';

/** What a judged block or transaction came to. */
export type Verdict = RuleFailure | VerifiedBlock | undefined;

/**
 * A test that something is refused for exactly this reason. reasons.test.ts counts these calls: a reason of the table
 * without one fails the suite.
 */
export function refuses(code: ReasonCode, title: string, judge: () => Promise<Verdict> | Verdict): void {
  test(`${code}: ${title}`, async () => {
    const verdict = await judge();
    expect(codeOf(verdict)).toBe(code);
  });
}

/** The twin of a refusal, one step inside the rule. */
export function accepts(title: string, judge: () => Promise<Verdict> | Verdict): void {
  test(`accepted: ${title}`, async () => {
    expect(codeOf(await judge())).toBe('valid');
  });
}

function codeOf(verdict: Verdict): string {
  return verdict !== undefined && 'code' in verdict ? verdict.code : 'valid';
}
