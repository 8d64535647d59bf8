import { UNKNOWN } from "#core/wildcards";
import { own, programName, takesNext } from "./programs";
import { isKnown, type SimpleCommand } from "./shell";

/*
 * Which hosts a command names: in URLs anywhere in its words, and in what programs of the network are given. Programs that
 * find their hosts elsewhere (a registry, a configured remote, code of their own) name none.
 */

export type NamedHosts = {
  /** Names and addresses, in lower case, with their port where it is given. */
  readonly hosts: readonly string[];
  /** Whether a host is meant that cannot be told. */
  readonly isUnknown: boolean;
};

/** How a program of the network is given hosts. */
type Client = {
  /** Its options that take a value, of one letter and long. */
  readonly letters?: string;
  readonly long?: readonly string[];
  /** Operands that are hosts: all of them, the first, or those with a colon in front of a path. */
  readonly operands: "all" | "first" | "copied";
  /** Options that send it elsewhere than its operands say. */
  readonly elsewhere?: RegExp;
};

const SSH_LONG = /^-(?:[A-Za-z]*[JoFLRDWwS])/;
const LOOK_UP: Client = { letters: "bcfkpqtxy", operands: "all", elsewhere: /^-f/ };
const PING: Client = { letters: "cCiIlLmMpQsStTwW", operands: "all" };
const FTP: Client = { letters: "Ppo", operands: "first" };

const CLIENTS: Readonly<Record<string, Client>> = {
  curl: {
    letters: "AbcCdDeEFHKmoPQrtTuUwxXyYz",
    long: [
      ...["cacert", "capath", "cert", "cert-type", "ciphers", "connect-timeout", "cookie", "cookie-jar", "data"],
      ...["data-ascii", "data-binary", "data-raw", "data-urlencode", "dump-header", "form", "form-string", "header"],
      ...["json", "key", "keepalive-time", "limit-rate", "max-redirs", "max-time", "output", "output-dir", "pass"],
      ...["proto", "range", "referer", "request", "retry", "retry-delay", "retry-max-time", "speed-limit"],
      ...["stderr", "time-cond", "trace", "trace-ascii", "upload-file", "url-query", "user", "user-agent", "write-out"],
    ],
    operands: "all",
    elsewhere:
      /^(?:-[a-zA-Z#]*[KxU]|--(?:config|proxy|preproxy|socks\w*|resolve|connect-to|dns-\w+|doh-url|variable|unix-socket|abstract-unix-socket)(?:=|$|[\w-]))/,
  },
  wget: {
    letters: "oaeiOPtTwQUDXIARlB",
    long: [
      ...["output-document", "output-file", "append-output", "directory-prefix", "tries", "timeout", "wait", "header"],
      ...["user-agent", "referer", "post-data", "post-file", "body-data", "body-file", "method", "user", "password"],
      ...["quota", "level", "accept", "reject", "limit-rate", "ca-certificate", "certificate", "private-key"],
      ...["load-cookies", "save-cookies", "domains", "exclude-domains"],
    ],
    operands: "all",
    elsewhere: /^(?:-[a-zA-Z]*[ieB]|--(?:input-file|execute|base|config))/,
  },
  aria2c: { letters: "dioxsjkmtp", operands: "all", elsewhere: /^(?:-i|--(?:input-file|all-proxy|http))/ },
  axel: { letters: "nosUH", operands: "all" },
  lynx: { operands: "all" },
  w3m: { letters: "TIO", operands: "all" },
  links: { operands: "all" },
  elinks: { operands: "all" },
  ssh: { letters: "BbcDEeFIiJLlmOopQRSWw", operands: "first", elsewhere: SSH_LONG },
  "ssh-copy-id": { letters: "iopF", operands: "first", elsewhere: /^-[oF]/ },
  mosh: { letters: "p", operands: "first", elsewhere: /^--ssh/ },
  autossh: { letters: "MBbcDEeFIiJLlmOopQRSWw", operands: "first", elsewhere: SSH_LONG },
  sftp: { letters: "BbcDFiJloPRSsX", operands: "first", elsewhere: /^-[A-Za-z]*[JoFSD]/ },
  scp: { letters: "cDFiJloPSX", operands: "copied", elsewhere: /^-[A-Za-z]*[JoFSD]/ },
  rsync: { letters: "efTBM", operands: "copied", elsewhere: /^(?:-[a-zA-Z]*e|--rsh|--sockopts)/ },
  nc: { letters: "eGgIiMmOPpqsTtVWwXx", operands: "first", elsewhere: /^-[A-Za-z]*[xec]/ },
  ncat: { letters: "cegGimopsw", operands: "first", elsewhere: /^(?:-[a-z]*[ec]|--proxy)/ },
  netcat: { letters: "eGgIiMmOPpqsTtVWwXx", operands: "first", elsewhere: /^-[A-Za-z]*[xec]/ },
  telnet: { letters: "belnSX", operands: "first" },
  ftp: FTP,
  lftp: { letters: "feucp", operands: "first", elsewhere: /^-[fec]/ },
  tftp: FTP,
  ping: PING,
  ping6: PING,
  traceroute: { letters: "fgiIlmNpqsTwz", operands: "first" },
  dig: LOOK_UP,
  host: { letters: "cmNRtW", operands: "all" },
  nslookup: { operands: "all" },
  whois: { letters: "hp", operands: "first", elsewhere: /^-h/ },
  nmap: { letters: "pDSegTo", operands: "all", elsewhere: /^-i/ },
};

const GIT_TALKS = new Set(["clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule", "archive"]);
/** Options of these that have no value, or have it attached. */
const GIT_FLAGS =
  /^(?:-[ufqvndaptk46]+|--[a-z-]+=.*|--(?:set-upstream|force|force-with-lease|tags|no-tags|all|prune|dry-run|delete|no-verify|rebase|no-rebase|ff-only|quiet|verbose|follow-tags|mirror|atomic))$/s;
const GIT_BRANCHES = new Set(["fetch", "pull", "push"]);
const URLS = /([a-z][a-z0-9+.-]{0,30}):\/\/([^\s'"<>]*)/gi;
const DEVICE = /\/dev\/(?:tcp|udp)\/([^/\s]*)/g;
const SOCKET = /^(?:tcp|udp|openssl|ssl|sctp|dccp|socks|proxy)\w*:/i;
/** `git@example.org:path`, `host:path`; a colon behind a slash belongs to a file's name. */
const COPIED = /^(?:[^/:\s]*@)?(\[[^\]]*\]|[^/:\s]+):/;
const MAX_HOSTS = 1_000;

/** Hosts that the words of a command name. */
export const hostsOf = ({ words, redirects }: SimpleCommand): NamedHosts => {
  const found = new Hosts();
  for (const text of [...words, ...redirects.map(({ target }) => target)]) {
    for (const [, scheme = "", rest = ""] of text.matchAll(URLS)) if (!/^file$/i.test(scheme)) found.authority(rest);
    for (const [, host = ""] of text.matchAll(DEVICE)) found.authority(host);
  }
  const [first = "", ...given] = words;
  if (!isKnown(first)) found.isUnknown = true;
  else ofProgram(programName(first), given, found);
  return found;
};

const ofProgram = (name: string, given: readonly string[], found: Hosts): void => {
  const client = own(CLIENTS, name);
  if (client !== undefined) ofClient(client, given, found);
  own(OTHERS, name)?.(given, found);
};

/** Programs that name hosts in a way of their own. */
const OTHERS: Readonly<Record<string, (given: readonly string[], found: Hosts) => void>> = {
  git: (given, found) => {
    const at = given.findIndex((word) => GIT_TALKS.has(word));
    const behind = at < 0 ? [] : given.slice(at + 1);
    const operands = behind.filter((word) => !word.startsWith("-"));
    // Behind the repository stand names of branches, which have colons too.
    const isFirst = GIT_BRANCHES.has(given[at] ?? "");
    // The word behind an option may be its value, and the repository one further on.
    const options = behind.slice(0, behind.indexOf(operands[0] ?? ""));
    const end = options.some((word) => !GIT_FLAGS.test(word)) ? operands.findIndex((word) => COPIED.test(word)) : 0;
    const named = isFirst ? operands.slice(0, end + 1 || undefined) : operands;
    for (const word of [...named, ...gitValues(given)]) if (!word.includes("://")) found.copied(word);
  },
  socat: (given, found) => {
    for (const word of given) {
      if (!isKnown(word)) found.isUnknown = true;
      else if (SOCKET.test(word) && !/^\w*-?listen/i.test(word)) found.authority(word.slice(word.indexOf(":") + 1));
    }
  },
  openssl: (given, found) => {
    const at = given.findIndex((word) => /^-(?:connect|proxy|host|url)$/.test(word));
    if (at >= 0) found.authority(given[at + 1] ?? "");
  },
};

/** Repositories in options and in what is configured, where options have them as a word of their own too. */
const gitValues = (given: readonly string[]): string[] =>
  given.flatMap((word, at) => {
    const [, option, attached] = /^--(remote|repo)(?:=(.*))?$/s.exec(word) ?? [];
    if (option !== undefined) return [attached ?? given[at + 1] ?? ""];
    const isRemote = /^remote\..*\.(?:push)?url$|^url\..*\.(?:push)?insteadof$/is;
    const [name = "", value] = [
      word.split("=", 1)[0],
      word.includes("=") ? word.slice(word.indexOf("=") + 1) : undefined,
    ];
    if (/^url\./i.test(name) && isRemote.test(name)) return [name.slice(4, name.lastIndexOf("."))];
    return isRemote.test(name) ? [value ?? given[at + 1] ?? ""] : [];
  });

const ofClient = ({ letters = "", long = [], operands, elsewhere }: Client, given: readonly string[], found: Hosts) => {
  const named: string[] = [];
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? "";
    if (word === "--") {
      named.push(...given.slice(at + 1));
      break;
    }
    if (word.startsWith("-") && word !== "-") {
      if (elsewhere?.test(word) || !isKnown(word)) found.isUnknown = true;
      if (word.startsWith("--url=")) found.authority(word.slice(6));
      if (takesNext(word, letters, long)) at += 1;
    } else named.push(word);
  }
  // What a host is told to do is no host.
  for (const word of operands === "first" ? named.slice(0, 1) : named) {
    if (operands === "copied") found.copied(word);
    else if (!/^file:/i.test(word)) found.authority(word.replace(/^@|^[a-z][a-z0-9+.-]*:\/+/i, ""));
  }
};

class Hosts implements NamedHosts {
  readonly hosts: string[] = [];
  isUnknown = false;

  /** `user@host:port/path`. */
  authority(text: string): void {
    const [authority = ""] = text.split(/[/?#]/, 1);
    // Clients do not agree on what a backslash is, and some expand brackets.
    const isPlain = isKnown(authority) && !/[\\{}]/.test(authority) && !/\[[^\]:]*\]/.test(authority);
    const host = isPlain ? hostIn(authority.replace(/:[^:\]]*$/, (port) => (/^:\d+$/.test(port) ? port : ""))) : null;
    if (host === null || this.hosts.length === MAX_HOSTS) this.isUnknown = true;
    else this.hosts.push(host);
  }

  copied(word: string): void {
    const host = COPIED.exec(word)?.[1];
    if (host !== undefined) this.authority(host);
    else if (word.startsWith(UNKNOWN) || !isKnown(word.split("/", 1)[0] ?? "")) this.isUnknown = true;
  }
}

/** As clients look it up: any writing of an address or name as the usual one. */
const hostIn = (authority: string): string | null => {
  const url = `http://${authority}`;
  if (authority === "" || !URL.canParse(url)) return null;
  const { host } = new URL(url);
  return host.replace(/\.(?=:|$)/, "");
};
