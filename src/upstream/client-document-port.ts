/** Why there is no document. Nothing of an answer is in it. */
export type NoDocument =
  | "forbidden_address"
  | "unreachable"
  | "timeout"
  | "redirect"
  | "status"
  | "type"
  | "too_large"
  | "not_json"
  | "broken";

export type DocumentAnswer =
  | { readonly kind: "document"; readonly document: unknown }
  | { readonly kind: "none"; readonly why: NoDocument };

/** Fetches what stands at an https address that a stranger gave. Never throws. */
export type DocumentFetch = (url: string) => Promise<DocumentAnswer>;
