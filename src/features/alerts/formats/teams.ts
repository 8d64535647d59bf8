import { cut, type Notice } from "#features/alerts/notice";

/* Teams workflows ("When a Teams webhook request is received"): an Adaptive Card in an attachment. */

const MAX_TEXT = 4_000;

/** Text runs are no Markdown: a name cannot become a link. */
const run = (text: string, more: object = {}) => ({
  type: "RichTextBlock",
  inlines: [{ type: "TextRun", text: cut(text, MAX_TEXT), ...more }],
});

const styleOf = ({ event, alert }: Notice): string => {
  if (event === "resolved") return "good";
  return { info: "accent", warning: "warning", critical: "attention" }[alert.severity];
};

export const teamsBody = (notice: Notice): string => {
  const { title, text, facts, url } = notice;
  const card = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      {
        type: "Container",
        style: styleOf(notice),
        bleed: true,
        items: [run(title, { weight: "Bolder", size: "Medium" })],
      },
      run(text),
      run(facts.map(([name, value]) => `${name}: ${value}`).join("\n"), { isSubtle: true, size: "Small" }),
    ],
    actions: [{ type: "Action.OpenUrl", title: "Open alerts", url }],
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content: card };
  return JSON.stringify({ type: "message", attachments: [attachment] });
};
