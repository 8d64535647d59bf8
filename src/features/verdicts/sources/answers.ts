import type { Verdict } from "#features/verdicts/frame";

/** A denial's reason within a length. It ends with where the call is disputed, whatever has to be left out. */
export const reasonWithin = ({ reason, url }: Verdict, most: number): string => {
  if (reason.length <= most) return reason;
  const words = reason.endsWith(url) ? reason.slice(0, -url.length).trimEnd() : reason;
  const left = most - url.length - ELLIPSIS.length;
  return left < 0 ? cut(reason, most) : `${cut(words, left)}${ELLIPSIS}${url}`;
};

const ELLIPSIS = "… ";

/** Not in the middle of a character. */
const cut = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
