/** A document without its code blocks. */
export const withoutFences = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, "");

/** As GitHub makes them: lower case, no punctuation, dashes for spaces. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** What links into a document can name: an anchor for each heading. */
export const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([...withoutFences(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading ?? "")));
