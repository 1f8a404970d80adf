/** Characters of a server's text that are shown. */
const LONGEST = 200;
/** What no line of a log and no message shall hold: control and formatting characters, line ends, broken pairs. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;

/** A server's text as one line that can be shown and logged, at most 200 characters and an ellipsis; empty when nothing is left. */
export function cleanText(text: string): string {
  const characters = [...text.replace(UNPRINTABLE, ' ').trim()];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : characters.join('');
}
