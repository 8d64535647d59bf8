import { cut, type Notice } from "#features/alerts/notice";

/* Slack incoming webhooks: blocks in an attachment, for its colour. */

/** What could be a link or a mention is text. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const colourOf = ({ event, alert }: Notice): string => {
  if (event === "resolved") return "#1a7f37";
  return { info: "#0969da", warning: "#bf8700", critical: "#d1242f" }[alert.severity];
};

const MAX_TEXT = 2_900;

export const slackBody = (notice: Notice): string => {
  const { title, text, facts, url } = notice;
  const context = facts.map(([name, value]) => `${name}: ${value}`).join(" · ");
  const section = `*<${url}|${escaped(title)}>*\n${escaped(text)}`;
  return JSON.stringify({
    text: cut(escaped(`${title}. ${text}`), MAX_TEXT),
    attachments: [
      {
        color: colourOf(notice),
        blocks: [
          { type: "section", text: { type: "mrkdwn", text: cut(section, MAX_TEXT) } },
          { type: "context", elements: [{ type: "plain_text", text: cut(context, MAX_TEXT), emoji: false }] },
        ],
      },
    ],
  });
};
