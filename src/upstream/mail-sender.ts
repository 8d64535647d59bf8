import type { SMTPTransportOptions } from "nodemailer";
import { addressCheck, NotConnected } from "./guarded-fetch";
import type { Mail, MailAnswer, MailSender, MailServer } from "./outbound-port";
import { OUTBOUND_SETTING, OUTBOUND_TIMEOUT_MS, type OutboundOptions } from "./outbound-post";

/* Mail by SMTP. The library is loaded when the first mail is sent. */

export const mailSender = (options: OutboundOptions): MailSender => {
  const { allowPrivate, resolve, timeoutMs = OUTBOUND_TIMEOUT_MS } = options;
  const addressesOf = addressCheck({
    allowPrivate,
    setting: OUTBOUND_SETTING,
    connectMs: timeoutMs,
    ...(resolve && { resolve }),
  });
  return async (server, mail, ended) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([timeout, ended]);
    try {
      const [address = ""] = await addressesOf(server.host, server.security !== "none", signal);
      return await sent(address, server, mail, { signal, timeoutMs });
    } catch (error) {
      return timeout.aborted ? { status: null, error: "timeout" } : wordFor(error);
    }
  };
};

type Limits = { readonly signal: AbortSignal; readonly timeoutMs: number };

/** Connects to an address that was checked; the certificate must be the name's all the same. */
const sent = async (address: string, server: MailServer, mail: Mail, { signal, timeoutMs }: Limits) => {
  const { createTransport } = await import("nodemailer");
  const { host, port, security, login } = server;
  const transport: SMTPTransportOptions = {
    host: address,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    tls: { servername: host },
    ...(login && { auth: { user: login.username, pass: login.password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const { id, inReplyTo, from, to, subject, text, html } = mail;
  const { response, rejected } = await createTransport(transport).sendMail({
    from,
    to: [...to],
    subject,
    text,
    html,
    signal,
    messageId: `<${id}>`,
    ...(inReplyTo !== null && { inReplyTo: `<${inReplyTo}>`, references: `<${inReplyTo}>` }),
    headers: { "auto-submitted": "auto-generated" },
  });
  const answer: MailAnswer = { status: codeIn(response), error: rejected.length > 0 ? "refused" : null };
  return answer;
};

const codeIn = (response: unknown): number | null => Number(/^\d{3}/.exec(String(response))?.[0]) || null;

/** The library's words for what went wrong. */
const WORDS: Readonly<Record<string, MailAnswer["error"]>> = {
  EAUTH: "sign_in",
  ENOAUTH: "sign_in",
  ETLS: "not_encrypted",
  ETIMEDOUT: "timeout",
  EDNS: "unreachable",
  EENVELOPE: "refused",
  EMESSAGE: "refused",
};

/** Says nothing of what the server said but its code. */
const wordFor = (error: unknown): MailAnswer => {
  if (error instanceof NotConnected) return { status: null, error: error.reason };
  if (!(error instanceof Error)) return { status: null, error: "broken" };
  const status = "responseCode" in error ? codeIn(error.responseCode) : null;
  const code = "code" in error ? String(error.code) : "";
  if (/certificate|altnames|self[- ]signed/i.test(error.message)) return { status, error: "certificate" };
  if (/ECONNREFUSED|refused to connect|Failed to connect/i.test(error.message)) return { status, error: "unreachable" };
  return { status, error: WORDS[code] ?? "broken" };
};
