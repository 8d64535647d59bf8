/**
 * What is kept of a call's texts beside its record, sealed. `blocked`: what was blocked, for a dispute, for a day or so;
 * `retained`: what the profile says is kept, redacted or whole.
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

/** Before it is sealed: where in the body each text stood, and the text. */
export type KeptTexts = {
  readonly stage: "input" | "output";
  readonly texts: readonly { readonly param: string; readonly origin: string; readonly text: string }[];
};
