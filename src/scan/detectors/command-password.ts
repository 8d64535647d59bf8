import { entropy } from "#core/checksums";
import { charSet } from "#scan/char-set";
import type { Detector } from "#scan/detector";
import { isPasswordWritten } from "./name-and-password";
import { isName } from "./spoken";

/** Everything on the rest of a line that can be in a command. */
const LINE = charSet(" !\"#$%&'()*+,./0-9:;<=>?@A-Z[\\]^_`a-z{|}~-");
const LINE_SEEN = 160;
const MIN_LENGTH = 6;

/** How programs of the command line are given a password by an option of one letter, or by its place alone. */
const COMMANDS: Readonly<Record<string, RegExp>> = {
  sshpass: /^ -p ?["']?([^\s"']+)/,
  mysql: /^(?:dump|admin|import)?(?: [^\s|;&]+){0,6}? -p["']?([^\s"'-][^\s"']*)/,
  ldapsearch: /^(?: [^\s|;&]+){0,8}? -w ["']?([^\s"']+)/,
  ldapmodify: /^(?: [^\s|;&]+){0,8}? -w ["']?([^\s"']+)/,
  ldapadd: /^(?: [^\s|;&]+){0,8}? -w ["']?([^\s"']+)/,
  sqlcmd: /^(?: [^\s|;&]+){0,8}? -P ["']?([^\s"']+)/,
  "openssl enc": /^(?: [^\s|;&]+){0,8}? -k ["']?([^\s"']+)/,
  keytool: /^(?: [^\s|;&]+){0,8}? -(?:store|key)pass ["']?([^\s"']+)/,
  smbclient: /^(?: [^\s|;&]+){0,6}? -U ["']?[^\s%"']+%([^\s"']+)/,
  lftp: /^(?: [^\s|;&]+){0,6}? -u ["']?[^\s,"']+,([^\s"']+)/,
  "podman login": /^(?: [^\s|;&]+){0,6}? -p[ =]?["']?([^\s"']+)/,
  "helm registry login": /^(?: [^\s|;&]+){0,6}? -p[ =]?["']?([^\s"']+)/,
  "docker login": /^(?: [^\s|;&]+){0,6}? -p[ =]?["']?([^\s"']+)/,
  "redis-cli": /^(?: [^\s|;&]+){0,6}? -a ["']?([^\s"']+)/,
  "net user": /^ [^\s/]+ ["']?([^\s/"'*]+)["']?(?: \/add| \/y|$)/i,
  psexec: /^(?:64)?(?:\.exe)?(?: [^\s|;&]+){0,6}? -p ["']?([^\s"']+)/i,
  "jdbc:oracle:thin:": /^[\w$#]{1,64}\/([^\s@/"']+)@/,
};

/** A password among the arguments of a command. */
export const commandPassword: Detector = {
  id: "secret.command_password",
  category: "secret",
  severity: "high",
  reach: 24 + LINE_SEEN,
  behind: 1,
  cue: true,
  maxScore: 0.75,
  keywords: Object.keys(COMMANDS),
  boundary: charSet("A-Za-z0-9_"),
  read(view, at, length) {
    const form = COMMANDS[view.slice(at, at + length).toLowerCase()];
    const from = at + length;
    const width = view.run(from, LINE, LINE_SEEN);
    const line = view.before(from + width, width);
    const match = form?.exec(line);
    const value = match?.[1];
    if (!match || value === undefined || value.length < MIN_LENGTH || !isPasswordWritten(value)) return null;
    if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || isName(value) || entropy(value) < 2.2) return null;
    const start = from + match[0].lastIndexOf(value);
    return { start, end: start + value.length, score: 0.75 };
  },
};
