import { createServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Certificate } from "./certificate";

/** A message as the server took it. */
export type TakenMail = {
  readonly from: string;
  readonly to: readonly string[];
  /** With its headers, as it came over the wire, dot-stuffing undone. */
  readonly data: string;
  readonly isEncrypted: boolean;
  /** Who signed in; null for nobody. */
  readonly user: string | null;
};

export type SmtpScript = {
  /** Offers STARTTLS with it. */
  readonly certificate?: Certificate;
  /** Demands it. */
  readonly login?: { readonly user: string; readonly password: string };
};

type Conversation = {
  socket: Socket;
  isEncrypted: boolean;
  user: string | null;
  from: string;
  to: string[];
  /** What the next line is read as. */
  reading: "commands" | "data" | { readonly login: string | null };
  lines: string[];
};

/** A mail server (RFC 5321) on this machine, with STARTTLS (RFC 3207) and AUTH PLAIN and LOGIN (RFC 4954). */
export class SmtpServer implements AsyncDisposable {
  readonly taken: TakenMail[] = [];
  /** Every command as it came, without credentials. */
  readonly commands: string[] = [];
  /** What it says to the end of the next messages; once it is empty, that they were taken. */
  readonly answers: string[] = [];
  private readonly open = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly script: SmtpScript,
  ) {}

  static async begin(script: SmtpScript = {}): Promise<SmtpServer> {
    const server = createServer();
    const made = new SmtpServer(server, script);
    server.on("connection", (socket) => made.accept(socket));
    const listening = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", listening.resolve);
    await listening.promise;
    return made;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("It does not listen");
    return address.port;
  }

  private accept(socket: Socket): void {
    this.open.add(socket);
    socket.on("close", () => this.open.delete(socket));
    const talk: Conversation = {
      socket,
      isEncrypted: false,
      user: null,
      from: "",
      to: [],
      reading: "commands",
      lines: [],
    };
    this.listen(talk);
    say(talk, "220 mail.example.com ESMTP");
  }

  private listen(talk: Conversation): void {
    let rest = "";
    const { socket } = talk;
    // A client that goes is no fault of the server.
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      rest += bytes.toString("latin1");
      for (let end = rest.indexOf("\r\n"); end >= 0 && talk.socket === socket; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        this.take(talk, line);
      }
    });
  }

  private take(talk: Conversation, line: string): void {
    if (talk.reading === "data") this.takeData(talk, line);
    else if (talk.reading === "commands") this.obey(talk, line);
    else this.takeLogin(talk, line, talk.reading.login);
  }

  private takeData(talk: Conversation, line: string): void {
    if (line !== ".") {
      talk.lines.push(line.startsWith("..") ? line.slice(1) : line);
      return;
    }
    const { from, to, lines, isEncrypted, user } = talk;
    const answer = this.answers.shift() ?? "250 2.0.0 taken";
    if (answer.startsWith("2")) this.taken.push({ from, to: [...to], data: lines.join("\r\n"), isEncrypted, user });
    talk.reading = "commands";
    talk.lines = [];
    say(talk, answer);
  }

  private takeLogin(talk: Conversation, line: string, user: string | null): void {
    const text = Buffer.from(line, "base64").toString();
    if (user === null) {
      talk.reading = { login: text };
      say(talk, `334 ${Buffer.from("Password:").toString("base64")}`);
    } else this.signIn(talk, user, text);
  }

  private signIn(talk: Conversation, user: string, password: string): void {
    const { login } = this.script;
    talk.reading = "commands";
    if (login?.user === user && login.password === password) {
      talk.user = user;
      say(talk, "235 2.7.0 signed in");
    } else say(talk, "535 5.7.8 credentials invalid");
  }

  private obey(talk: Conversation, line: string): void {
    const [verb = "", mechanism = "", initial] = line.split(" ");
    const command = verb.toUpperCase();
    this.commands.push(command === "AUTH" ? `AUTH ${mechanism}` : line);
    const { certificate, login } = this.script;
    if (command === "EHLO") this.greet(talk);
    else if (command === "STARTTLS" && certificate) this.encrypt(talk, certificate);
    else if (command === "AUTH") this.askWho(talk, mechanism, initial);
    else if (command === "MAIL" && login && talk.user === null) say(talk, "530 5.7.0 sign in first");
    else this.takeEnvelope(talk, command, line);
  }

  private greet(talk: Conversation): void {
    const { certificate, login } = this.script;
    const offers = [
      ...(certificate && !talk.isEncrypted ? ["STARTTLS"] : []),
      ...(login && (talk.isEncrypted || !certificate) ? ["AUTH PLAIN LOGIN"] : []),
      "8BITMIME",
    ];
    const lines = ["mail.example.com", ...offers];
    say(talk, lines.map((one, at) => `250${at < offers.length ? "-" : " "}${one}`).join("\r\n"));
  }

  private askWho(talk: Conversation, mechanism: string, initial: string | undefined): void {
    if (mechanism === "PLAIN" && initial !== undefined) {
      const [, user = "", password = ""] = Buffer.from(initial, "base64").toString().split("\0");
      this.signIn(talk, user, password);
    } else if (mechanism === "LOGIN") {
      talk.reading = { login: null };
      say(talk, `334 ${Buffer.from("Username:").toString("base64")}`);
    } else say(talk, "504 5.5.4 unknown mechanism");
  }

  private takeEnvelope(talk: Conversation, command: string, line: string): void {
    if (command === "MAIL") {
      talk.from = addressIn(line);
      talk.to = [];
      say(talk, "250 2.1.0 ok");
    } else if (command === "RCPT") {
      talk.to.push(addressIn(line));
      say(talk, "250 2.1.5 ok");
    } else if (command === "DATA") {
      talk.reading = "data";
      say(talk, "354 go on");
    } else if (command === "QUIT") {
      say(talk, "221 2.0.0 bye");
      talk.socket.end();
    } else say(talk, command === "RSET" || command === "NOOP" ? "250 2.0.0 ok" : "502 5.5.1 unknown");
  }

  private encrypt(talk: Conversation, { key, cert }: Certificate): void {
    say(talk, "220 2.0.0 go on");
    const plain = talk.socket;
    plain.removeAllListeners("data");
    talk.socket = new TLSSocket(plain, { isServer: true, secureContext: createSecureContext({ key, cert }) });
    talk.isEncrypted = true;
    this.listen(talk);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.open) socket.destroy();
    const closed = Promise.withResolvers<void>();
    this.server.close(() => closed.resolve());
    await closed.promise;
  }
}

const say = ({ socket }: Conversation, text: string): void => void socket.write(`${text}\r\n`);

const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? "";
