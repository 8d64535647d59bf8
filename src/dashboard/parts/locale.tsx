/**
 * The page speaks English: what is counted and dated in its sentences does too, in the viewer's own kind of English
 * where they have one. Otherwise a page would say `Set vor 5 Minuten`.
 */
export const LOCALE: string = navigator.languages.find((one) => /^en\b/i.test(one)) ?? "en-GB";
