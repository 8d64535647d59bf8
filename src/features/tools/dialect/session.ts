import { isRecord, type JsonRecord } from "#core/json/json";
import type { QuestionModes } from "#features/tools/dialect/port";

/** What a client of the 2025 era says once, in `initialize`, and the gateway goes by in its later requests. */

export const NO_MODES: QuestionModes = { form: false, url: false };

/** By a client's capabilities. An empty `elicitation` means forms (2025-11-25 and 2026-07-28, elicitation). */
export const modesOf = (capabilities: unknown): QuestionModes => {
  const elicitation = isRecord(capabilities) ? capabilities["elicitation"] : undefined;
  if (!isRecord(elicitation)) return NO_MODES;
  const [form, url] = [isRecord(elicitation["form"]), isRecord(elicitation["url"])];
  return { form: form || !url, url };
};

/** The capability as servers are told it. */
export const capabilitiesOf = ({ form, url }: QuestionModes): JsonRecord => ({
  elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) },
});
