import type { Notice } from "#features/alerts/notice";
import type { Mail } from "#upstream/outbound-port";

/* Mail, as text and as HTML. What resolves an alert answers the mail that told of it. */

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** One line, whatever a name holds. */
const line = (text: string): string => text.replaceAll(/[\r\n\t]+/g, " ");

export const mailOf = (notice: Notice, { from, to }: Pick<Mail, "from" | "to">): Mail => {
  const { alert, event, title, text, facts, url, hub } = notice;
  const at = new URL(hub).hostname.replaceAll(/[^\w.-]/g, "");
  const rows = facts.map(([name, value]) => `<tr><td>${escaped(name)}</td><td>${escaped(value)}</td></tr>`);
  return {
    id: `${notice.id}@${at}`,
    inReplyTo: event === "resolved" ? `${alert.id}-firing@${at}` : null,
    from,
    to,
    subject: line(`[Guardhouse] ${title} (${alert.severity})`),
    text: [title, "", text, "", ...facts.map(([name, value]) => `${name}: ${line(value)}`), "", url, ""].join("\n"),
    html: `<p><strong>${escaped(title)}</strong></p><p>${escaped(text)}</p><table>${rows.join("")}</table><p><a href="${escaped(url)}">Open alerts</a></p>`,
  };
};
