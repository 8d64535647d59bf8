/**
 * How much a cue says by itself. `firm`: it names a document, so a number of its form is one. `short`: an abbreviation
 * that chance and other trades use too (`cc`, `rg`, `dni`), so the number needs right check digits. `ambiguous`: a word
 * of programs or of daily language (`run`, `uid`, `ci`, `id number`), where one check digit, which one number in ten
 * has, is no proof: the number must also be written in a document's groups.
 */
export type CueWeight = "firm" | "short" | "ambiguous";

/** Longer abbreviations are rare enough to stand for their document. */
const SHORT_MAX = 3;

/** Field names, build systems, words of several languages, and phrases that any register uses. */
const AMBIGUOUS: ReadonlySet<string> = new Set(
  (
    "run uid vid sin nas pin tin inn fin nit cip sip psn sss crn pnr aba acn moa cif cin cui team epic fein nida voter " +
    "routing idnumber idno idcard iddocument identificationno identificationnumber identificationcode"
  ).split(" "),
);
const JOINTS = /[ ._'-]/g;

/** Whether an abbreviation is also a word of programs or of some language: as a field's name it says nothing. */
export const isWord = (cue: string): boolean => AMBIGUOUS.has(cue.toLowerCase());

/** By the cue as it is looked up: folded, in lower case, words parted by a space, `_`, `-` or nothing. */
export function weightOf(cue: string): CueWeight {
  const word = cue.replace(JOINTS, "");
  if (AMBIGUOUS.has(word)) return "ambiguous";
  // In other scripts a short word is no abbreviation.
  if (word.length > SHORT_MAX || !/^[a-z#°]+$/.test(word)) return "firm";
  return word.length < SHORT_MAX ? "ambiguous" : "short";
}
