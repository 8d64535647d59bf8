import type { KeptText, KeptTexts } from "#model/kept-content";

/** What a report's content is sealed for: it opens nowhere else. Inside are `KeptTexts`, as JSON. */
export const reportPurpose = (id: string): string => `report ${id}`;

/** A text that was sent with a report, and where it stood, as far as that is known. */
export const sentContent = (text: string, place: Omit<KeptText, "text"> | null): KeptTexts => ({
  texts: [{ ...(place ?? { stage: "input", param: "message_content", origin: "user" }), text }],
  cut: false,
});
