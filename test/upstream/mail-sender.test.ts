import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned } from "#test/support/certificate";
import { anyPort } from "#test/support/port";
import { SmtpServer } from "#test/support/smtp-server";
import { verifies } from "#test/support/verifies";
import { mailSender } from "#upstream/mail-sender";
import type { Mail, MailAnswer, MailServer } from "#upstream/outbound-port";

setDefaultTimeout(120_000);

const NAME = "mail.example.com";
const CERTIFICATE = selfSigned(NAME);
const LOGIN = { username: "hub", password: "quokka minstrel" };
const ACCOUNT = { user: LOGIN.username, password: LOGIN.password };
const MAIL: Mail = {
  id: "alert-1@hub.example.com",
  inReplyTo: null,
  from: "hub@example.com",
  to: ["oncall@example.com", "team@example.com"],
  subject: "[Guardhouse] Firing: Grüße",
  text: "First line\n.hidden\n",
  html: "<p>First line</p>",
};
const NEVER = new AbortController().signal;

type Options = Partial<Parameters<typeof mailSender>[0]>;
const senderOf = (options: Options = {}) =>
  mailSender({ allowPrivate: ["127.0.0.0/8"], version: "1", resolve: async () => ["127.0.0.1"], ...options });
const serverAt = (port: number, more: Partial<MailServer> = {}): MailServer => ({
  ...{ host: NAME, port, security: "starttls", login: LOGIN },
  ...more,
});

describe("mail sender", () => {
  test("what is not encrypted goes to allowed networks only, and says who it is", async () => {
    verifies("alert.mail", "alert.ssrf");
    await using server = await SmtpServer.begin({ login: ACCOUNT });
    const plain = serverAt(server.port, { security: "none" });
    expect(await senderOf()(plain, MAIL, NEVER)).toEqual({ status: 250, error: null });
    expect(server.taken).toMatchObject([
      { from: "hub@example.com", to: ["oncall@example.com", "team@example.com"], user: "hub", isEncrypted: false },
    ]);
    const [mail] = server.taken;
    expect(mail?.data).toContain("Message-ID: <alert-1@hub.example.com>");
    expect(mail?.data).toContain("Auto-Submitted: auto-generated");
    expect(mail?.data).toContain("\r\n.hidden");
    for (const address of ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1"]) {
      const guarded = senderOf({ allowPrivate: [], resolve: async () => [address] });
      const answer = await guarded(serverAt(server.port, { security: "tls" }), MAIL, NEVER);
      expect(answer).toEqual({ status: null, error: "forbidden_address" });
    }
    const outside = senderOf({ allowPrivate: [], resolve: async () => ["8.8.8.8"] });
    expect((await outside(plain, MAIL, NEVER)).error).toBe("forbidden_address");
    expect(server.taken).toHaveLength(1);
  });

  test("nothing is sent to a server that does not encrypt, is somebody else, or that nobody trusts", async () => {
    verifies("alert.mail");
    await using plain = await SmtpServer.begin({ login: ACCOUNT });
    expect((await senderOf()(serverAt(plain.port), MAIL, NEVER)).error).toBe("not_encrypted");
    await using untrusted = await SmtpServer.begin({ certificate: CERTIFICATE, login: ACCOUNT });
    expect((await senderOf()(serverAt(untrusted.port), MAIL, NEVER)).error).toBe("certificate");
    expect([...plain.commands, ...untrusted.commands].filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([]);
  });

  test("says what went wrong in a word", async () => {
    await using server = await SmtpServer.begin({ login: ACCOUNT });
    const send = (more: Partial<MailServer> = {}) =>
      senderOf({ timeoutMs: 2_000 })(serverAt(server.port, { security: "none", ...more }), MAIL, NEVER);
    expect(await send({ login: { username: "hub", password: "wrong" } })).toEqual({ status: 535, error: "sign_in" });
    expect(await send({ login: null })).toEqual({ status: 530, error: "refused" });
    server.answers.push("451 4.3.0 come back", "550 5.7.1 no");
    expect(await send()).toEqual({ status: 451, error: "refused" });
    expect(await send()).toEqual({ status: 550, error: "refused" });
    using held = anyPort();
    expect(await send({ port: held.port })).toEqual({ status: null, error: "unreachable" });
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    expect(await send({ port: silent.port })).toEqual({ status: null, error: "timeout" });
    silent.stop(true);
    expect((await senderOf({ resolve: async () => [] })(serverAt(25), MAIL, NEVER)).error).toBe("unreachable");
  });
});

/** Certificates are trusted from the start of a process on. */
describe("mail sender: a server that is trusted", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "guardhouse-mail-"));
    await writeFile(join(home, "ca.pem"), CERTIFICATE.cert);
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  const sentBy = async (server: MailServer): Promise<MailAnswer> => {
    const program = join(import.meta.dir, "children/send-mail.ts");
    const child = Bun.spawn([process.execPath, program, JSON.stringify({ server, mail: MAIL })], {
      env: { PATH: process.env["PATH"] ?? "", NODE_EXTRA_CA_CERTS: join(home, "ca.pem") },
      stdout: "pipe",
    });
    return JSON.parse(await new Response(child.stdout).text());
  };

  test("STARTTLS before AUTH; the certificate must be the name's", async () => {
    verifies("alert.mail");
    await using server = await SmtpServer.begin({ certificate: CERTIFICATE, login: ACCOUNT });
    expect(await sentBy(serverAt(server.port))).toEqual({ status: 250, error: null });
    expect(server.taken).toMatchObject([{ user: "hub", isEncrypted: true }]);
    const verbs = server.commands.map((line) => line.split(" ", 1)[0]);
    expect(verbs.slice(0, 8)).toEqual(["EHLO", "STARTTLS", "EHLO", "AUTH", "MAIL", "RCPT", "RCPT", "DATA"]);
    expect(await sentBy(serverAt(server.port, { host: "other.example.com" }))).toMatchObject({ error: "certificate" });
    expect(server.taken).toHaveLength(1);
  });
});
