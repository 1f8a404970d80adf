import { damageIn, UnreadableLiteMark } from '@wrkz/chain-db';
import { errorText } from '@wrkz/service-kit/base';

/** What an error says to the operator: of damage also what can be done about it. */
export function operatorText(error: unknown): string {
  // It says itself what to do.
  const damage = error instanceof UnreadableLiteMark ? undefined : damageIn(error);
  if (damage === undefined) return errorText(error);
  const text = errorText(error);
  return text.includes(damage.remedy) ? text : `${text}. What to do: ${damage.remedy}`;
}
