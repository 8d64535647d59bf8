import { type Static, Type } from "#core/schema";
import { ORIGINS } from "#scan/detector";
import { Folder, fold } from "#scan/fold/normalize";

/**
 * What is kept of a call's texts beside its record, sealed. `blocked`: what was blocked or redacted, for a dispute, for a
 * day or so; `retained`: what the profile says is kept, redacted or whole.
 */
export type KeptContent = {
  readonly id: string;
  readonly call_id: string;
  readonly event_id: string | null;
  readonly user_id: string;
  readonly agent_id: string | null;
  readonly purpose: "blocked" | "retained";
  readonly sealed: string;
  readonly created_at: number;
  readonly expires_at: number;
};

/** Where in the request or the answer a text stood, and the text. */
export const KeptText = Type.Object({
  stage: Type.Union([Type.Literal("input"), Type.Literal("output")]),
  param: Type.String(),
  origin: Type.Union(ORIGINS.map((origin) => Type.Literal(origin))),
  text: Type.String(),
});
export type KeptText = Readonly<Static<typeof KeptText>>;

/** Before it is sealed. */
export const KeptTexts = Type.Object({
  texts: Type.Array(KeptText),
  cut: Type.Boolean({ description: "The content was longer than what is stored." }),
});
export type KeptTexts = { readonly texts: readonly KeptText[]; readonly cut: boolean };

/**
 * Keyed hashes of what was blocked or redacted: a text can be held against them when it is not kept any more. Without
 * the key nothing can be tried against them.
 */
export type ContentHmac = {
  readonly key_id: string;
  readonly texts: readonly (Pick<KeptText, "stage" | "param"> & { readonly hmac: string })[];
};

/** What is kept of one call for one purpose, in UTF-16 units. */
export const MAX_KEPT = 1_048_576;

/** What a kept text is sealed for: it opens nowhere else. */
export const contentPurpose = (id: string): string => `content ${id}`;

/** What the key of the hashes is made for. */
export const CONTENT_HMAC = "content";

/** The form in which texts are compared: a copied text may differ in white space and in the form of letters. */
export const comparableForm = (text: string): string => fold(text.slice(0, MAX_KEPT)).text.replace(/\s+/g, " ").trim();

/** Null while the slice is not over; otherwise what to wait for before going on. */
type Pause = () => Promise<void> | null;

/** UTF-16 units of a text that are brought into that form in one piece: up to 3 ms. */
export const FORM_BLOCK = 65_536;

/** The same in slices, for long texts. */
export const comparableFormInSlices = async (text: string, pause: Pause, units = FORM_BLOCK): Promise<string> => {
  const kept = text.slice(0, MAX_KEPT);
  const folder = new Folder();
  let form = "";
  let isSpaced = false;
  for (let at = 0; at < kept.length; ) {
    const block = cutTo(kept.slice(at, at + units + 1), units);
    const piece = folder.fold(block).replace(/\s+/g, " ");
    form += isSpaced && piece.startsWith(" ") ? piece.slice(1) : piece;
    if (piece !== "") isSpaced = piece.endsWith(" ");
    at += block.length;
    const wait = pause();
    if (wait) await wait;
  }
  return form.trim();
};

/** The longest beginning of a text, in whole characters. */
export const cutTo = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isSplit ? length - 1 : length);
};
