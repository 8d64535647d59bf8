/**
 * Characters that people do not see and models read: zero-width ones, direction overrides, tags, fillers, control
 * characters. In a tool's definition nothing good needs them. Source: Unicode TR 36, "ASCII smuggling".
 */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|[\ufe00-\ufe0f]{2}|[\u{e0100}-\u{e01ef}]/u;
/** Joiners shape Persian and Indic letters and emoji; between ASCII letters they only hide something. */
const JOINER = /[\x00-\x7f][\u200c\u200d]|[\u200c\u200d][\x00-\x7f]/;
/** Direction marks belong into text that is written from right to left. */
const MARK = /[\u200e\u200f]/;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** Tags are for flags of a country's part only: a black flag, tags, the cancel tag. UTS #51, annex C. */
const TAGS = /[\u{e0000}-\u{e007f}]/u;
const TAGGED_FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;

export const hasHiddenCharacters = (text: string): boolean =>
  HIDDEN.test(text) ||
  JOINER.test(text) ||
  (MARK.test(text) && !RIGHT_TO_LEFT.test(text)) ||
  TAGS.test(text.replace(TAGGED_FLAG, ""));
