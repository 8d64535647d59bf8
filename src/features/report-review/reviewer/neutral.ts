/*
 * Evidence comes from the party that wants a verdict. Here it loses everything that could pass for something else than
 * evidence: chat templates' markers, JSON objects, ends of the fence, characters that models read and people do not see.
 */

/** What every line of evidence begins with, so that no line of it can stand outside. */
export const QUOTE = "│ ";

/** Line ends of every kind, so that each line is seen as one: CR, VT, FF, NEL and Unicode's own. */
const LINE_END = /\r\n|[\n\r\v\f\x85\u2028\u2029]/;
/** Zero-width characters, direction overrides, tags, fillers, and controls other than the tab (UAX 44). */
const HIDDEN = /(?:\p{Default_Ignorable_Code_Point}|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]|[\ufff9-\ufffb])+/gu;

/**
 * Look-alikes, one for each character that a marker or an object needs: `<|im_start|>`, `</s>`, `[INST]`, `<<SYS>>`,
 * three backticks, `{"verdict": …}`. A model that repeats evidence word by word repeats no object that could be parsed.
 */
const ALIKE: Readonly<Record<string, string>> = {
  "{": "｛",
  "}": "｝",
  "<": "‹",
  ">": "›",
  "[": "［",
  "]": "］",
  "`": "ˋ",
};
const MARKING = /[{}<>[\]`]/g;
/** How templates without brackets name who speaks, at the begin of a line. */
const SPEAKER = /^(\s*(?:#+\s*)?(?:system|assistant|user|human|developer|tool|model|ai)\s*):/i;

/** The evidence as it stands in a prompt: quoted line by line. `nonce` cannot occur in it. */
export const neutralised = (text: string, nonce: string): string =>
  text
    .split(LINE_END)
    .map((line) => QUOTE + neutralLine(line, nonce))
    .join("\n");

const neutralLine = (line: string, nonce: string): string =>
  line
    // First: what is taken out in the middle of a marker must not join its halves.
    .replace(HIDDEN, (run) => `‹hidden:${[...run].length}›`)
    .replace(MARKING, (mark) => ALIKE[mark] ?? mark)
    .replace(SPEAKER, "$1：")
    // Replaced by what holds none of its characters, so that no second one comes of it.
    .replaceAll(nonce, "‹›");
