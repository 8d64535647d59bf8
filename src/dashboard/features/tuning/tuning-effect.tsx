import { Chip } from "#dashboard/parts/chip";

/** Which way a change goes. */
export const EffectChip = ({ effect }: { readonly effect: "loosen" | "tighten" }) => (
  <Chip tone={effect === "loosen" ? "warn" : "ok"}>{effect === "loosen" ? "loosens" : "tightens"}</Chip>
);
