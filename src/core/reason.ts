/** Characters of an administrator's reason that an error repeats; the whole is on the kill switch's page. */
const MAX_REASON = 300;

/**
 * An administrator's words as one line of plain text, for an error that a program logs and a model may read: no line
 * ends, terminal escapes or characters that people do not see.
 */
export const shortReason = (reason: string): string => {
  const line = reason
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/[\p{Cf}\p{Cs}\p{Co}]/gu, "")
    .trim();
  const characters = [...line];
  return characters.length <= MAX_REASON ? line : `${characters.slice(0, MAX_REASON - 1).join("")}…`;
};
