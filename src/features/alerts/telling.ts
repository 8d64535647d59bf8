import { Value } from "#core/schema";
import { type AlertDestination, DestinationSecret } from "#model/alert";
import type { Sealing } from "#platform/sealing";
import type { MailSender, MailServer, Post, WebhookSender } from "#upstream/outbound-port";
import { mailOf } from "./formats/mail";
import { PAGERDUTY_URL, pagerDutyBody } from "./formats/pagerduty";
import { slackBody } from "./formats/slack";
import { teamsBody } from "./formats/teams";
import { webhookBody } from "./formats/webhook";
import type { Notice } from "./notice";

export type TellingNeeds = Sealing & {
  readonly post: Post;
  readonly mail: MailSender;
  readonly sendWebhook: WebhookSender;
};

/** What came of one attempt. `isFinal`: the receiver refuses it, and would again. */
export type ToldAnswer = {
  readonly status: number | null;
  readonly error: string | null;
  readonly isTaken: boolean;
  readonly isFinal: boolean;
};

const purposeOf = (id: string): string => `alert_destination.secret:${id}`;

export const sealSecret = (id: string, secret: DestinationSecret, { seal }: Pick<Sealing, "seal">): string =>
  seal(purposeOf(id), JSON.stringify(secret));

export const openSecret = (
  { id, sealed }: AlertDestination,
  { unseal }: Pick<Sealing, "unseal">,
): DestinationSecret => {
  const secret: unknown = JSON.parse(unseal(purposeOf(id), sealed));
  if (Value.Check(DestinationSecret, secret)) return secret;
  throw new Error(`The sealed settings of alert destination ${id} are damaged`);
};

/** One attempt to tell a destination. */
export const tell = async (
  needs: TellingNeeds,
  destination: AlertDestination,
  notice: Notice,
  signal: AbortSignal,
): Promise<ToldAnswer> => {
  const secret = openSecret(destination, needs);
  const { kind, settings } = destination;
  if (kind === "email")
    return mailed(await needs.mail(serverOf(destination, secret), mailFor(notice, settings), signal));
  const { url = PAGERDUTY_URL } = secret;
  if (kind === "pagerduty") return paged(needs, url, notice, secret.routing_key ?? "", signal);
  if (kind === "webhook") {
    const message = { id: notice.id, body: webhookBody(notice), secrets: [secret.signing ?? ""] };
    return posted(await needs.sendWebhook(url, message, signal));
  }
  return posted(await needs.post(url, { body: kind === "slack" ? slackBody(notice) : teamsBody(notice) }, signal));
};

/** A test leaves no open incident behind. */
const paged = async (
  { post }: TellingNeeds,
  url: string,
  notice: Notice,
  key: string,
  signal: AbortSignal,
): Promise<ToldAnswer> => {
  const send = async (action: "trigger" | "resolve") =>
    posted(await post(url, { body: pagerDutyBody(notice, key, action) }, signal));
  if (notice.event !== "test") return send(notice.event === "firing" ? "trigger" : "resolve");
  const begun = await send("trigger");
  return begun.isTaken ? send("resolve") : begun;
};

/** Answers after which the same request may be taken later. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429]);

const posted = ({ status, error }: { readonly status: number | null; readonly error: string | null }): ToldAnswer => {
  const isTaken = status !== null && status >= 200 && status < 300;
  const isFinal = status !== null && status >= 300 && status < 500 && !TEMPORARY.has(status);
  return { status, error, isTaken, isFinal };
};

const mailed = ({ status, error }: { readonly status: number | null; readonly error: string | null }): ToldAnswer => ({
  status,
  error,
  isTaken: error === null,
  isFinal: status !== null && status >= 500,
});

const serverOf = ({ settings, id }: AlertDestination, { password }: DestinationSecret): MailServer => {
  const { host, port, security, username } = settings;
  if (port === undefined || security === undefined) throw new Error(`Alert destination ${id} lacks a mail server`);
  const login = username === undefined || password === undefined ? null : { username, password };
  return { host, port, security, login };
};

const mailFor = (notice: Notice, { from = "", to = [] }: AlertDestination["settings"]) => mailOf(notice, { from, to });
