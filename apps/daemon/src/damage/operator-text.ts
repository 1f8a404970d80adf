import { damageIn, UnreadableLiteMark } from '@wrkz/chain-db';
import { errorText } from '@wrkz/service-kit/base';

/** The text of an error for the operator; for damage with the remedy. */
export function operatorText(error: unknown): string {
  // The text has the remedy already.
  const damage = error instanceof UnreadableLiteMark ? undefined : damageIn(error);
  if (damage === undefined) return errorText(error);
  const text = errorText(error);
  return text.includes(damage.remedy) ? text : `${text}. What to do: ${damage.remedy}`;
}
