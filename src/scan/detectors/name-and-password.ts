import { isPlaceholder } from "./placeholder";

const TEACHING =
  /^(?:(?:my|the|your|some|a|user)?[-_]?(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key)\d*|test\d*|user(?:name)?|admin|root|guest|changeme|change[-_]?it|open ?sesame|[x*.]+)$/i;

/** Whether a password is one, and not a word or a variable that stands for it. */
export const isPasswordWritten = (value: string): boolean =>
  value.length >= 4 && !TEACHING.test(value) && !/^[$<{[%]|^\{\{/.test(value) && !isPlaceholder(value);

/** How sure it is that base64 holds a name, a colon and a password; nothing for a pair that is no ASCII. */
export function pairScore(value: string): number | undefined {
  const pair = decoded(value);
  const colon = pair.indexOf(":");
  if (colon < 0) return 0;
  if (!/^[\x20-\x7e]*$/.test(pair)) return undefined;
  return isPasswordWritten(pair.slice(colon + 1)) ? 0.9 : 0;
}

/** `user:password` in base64, as in documents. */
export function isTeachingPair(value: string): boolean {
  if (value.length % 4 !== 0) return false;
  const pair = decoded(value);
  const colon = pair.indexOf(":");
  return colon >= 0 && /^[\x20-\x7e]*$/.test(pair) && !isPasswordWritten(pair.slice(colon + 1));
}

/** Empty for what is no base64. */
function decoded(value: string): string {
  const whole = value.replace(/=+$/, "");
  const usable = whole.slice(0, whole.length - (whole.length % 4 === 1 ? 1 : 0));
  return /^[A-Za-z0-9+/]+$/.test(usable) ? atob(usable) : "";
}
