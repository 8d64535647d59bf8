/** Controls other than tab and line ends: terminal escapes among them. */
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
/** Zero-width characters, direction overrides, tags, fillers: what Unicode says is not to be shown (UAX 44). */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/*
 * What of it good texts need: tags in flags of a country's part (UTS #51, annex C), a selector behind a character,
 * joiners between letters that are not ASCII, direction marks where text runs from right to left.
 */
const TAGGED_FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;
const LONE_SELECTOR = /(?<![\x00-\x1f]|[\ufe00-\ufe0f])[\ufe00-\ufe0f](?![\ufe00-\ufe0f])/gu;
const JOINER = /(?<=[^\x00-\x7f\u200c\u200d])[\u200c\u200d](?=[^\x00-\x7f\u200c\u200d])/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const MARK = /[\u200e\u200f\u061c]/g;

/**
 * Whether a text has characters that people do not see and models read. In a tool's definition nothing good needs
 * them ("ASCII smuggling").
 */
export const hasHiddenCharacters = (text: string): boolean => {
  if (CONTROL.test(text)) return true;
  if (!UNSEEN.test(text)) return false;
  const rest = text.replace(TAGGED_FLAG, "").replace(LONE_SELECTOR, "").replace(JOINER, "");
  return UNSEEN.test(RIGHT_TO_LEFT.test(rest) ? rest.replace(MARK, "") : rest);
};
