import { ORIGINS } from "#core/scan/detector";
import { fold } from "#core/scan/normalize";
import { type Static, Type } from "#core/schema";

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
  cut: Type.Boolean({ description: "There was more than is kept." }),
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
export const MOST_KEPT = 1_048_576;

/** What a kept text is sealed for: it opens nowhere else. */
export const contentPurpose = (id: string): string => `content ${id}`;

/** What the key of the hashes is made for. */
export const CONTENT_HMAC = "content";

/** The form in which texts are compared: whoever copies one may change its white space and how letters are written. */
export const comparableForm = (text: string): string => fold(text.slice(0, MOST_KEPT)).text.replace(/\s+/g, " ").trim();

/** The longest beginning of a text, in whole characters. */
export const cutTo = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isSplit ? length - 1 : length);
};
