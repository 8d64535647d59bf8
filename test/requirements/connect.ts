import type { Requirement } from "./requirement";

/** What is promised to people who connect a client. */
export const CONNECT: readonly Requirement[] = [
  {
    id: "connect.writes",
    promise:
      "`connect` writes models, tools and hooks into each client's own files, and running it twice changes nothing.",
    source: "docs/clients.md#connect",
  },
  {
    id: "connect.keeps",
    promise:
      "Everything else of a file stays byte for byte: comments, order, indentation, ends of lines, byte order mark.",
    source: "docs/clients.md#what-is-written",
  },
  {
    id: "connect.undo",
    promise:
      "`--undo` makes each file byte-identical and refuses one that was changed since; forced, it keeps what was changed.",
    source: "docs/clients.md#undo",
  },
  {
    id: "connect.refuses",
    promise:
      "Links to where a token would be written, read-only files, invalid files and other programs at work are refused, and nothing is half-written.",
    source: "docs/clients.md#what-is-written",
  },
  {
    id: "connect.token",
    promise: "The token is written only where a client reads it from nowhere else, with mode 0600, and never shown.",
    source: "docs/clients.md#what-is-written",
  },
  {
    id: "connect.check",
    promise:
      "`--check` makes a call and a blocked one by the client's own API, runs its hook and lists the tools; every check is made.",
    source: "docs/clients.md#check",
  },
  {
    id: "connect.managed",
    promise: "`--managed` makes the files for a fleet of what the token may use: locked hooks, models, tool servers.",
    source: "docs/clients.md#fleets",
  },
  {
    id: "connect.run",
    promise:
      "`run` starts a program with the variables of OpenAI's and Anthropic's SDKs; signals and exit code are its own.",
    source: "docs/clients.md#run-a-program",
  },
];
