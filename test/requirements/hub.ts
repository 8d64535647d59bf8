import type { Requirement } from "./requirement";

/** What is promised of the hub itself, one executable at one address: hosts, bodies, start, stop, crash, load. */
export const HUB: readonly Requirement[] = [
  {
    id: "hub.warm",
    promise:
      "The first call of an ordinary text after a start costs what later ones do: the scanner is warm for it before /readyz says 200. What single detectors make for the first text that looks like theirs is made right after, a sample at a time.",
    source: "docs/benchmarks.md#the-first-call-after-a-start",
  },
  {
    id: "retention.over",
    promise:
      "Rows of what is over go once the records that tell of it have gone, held calls after 30 days; what still holds or opens stays, and the log is not touched.",
    source: "docs/spec/service.md#retention",
  },
  {
    id: "hub.clock-set-back",
    promise:
      "A clock that was far ahead and is put right locks nobody out: limits, waits and schedules go by the time it is.",
    source: "docs/spec/service.md#starting-and-failing",
  },
  {
    id: "limits.exact",
    promise: "Limits on how many there may be of a thing hold however many are asked for at once.",
    source: "docs/spec/service.md#load",
  },
  {
    id: "host.refused",
    promise: "A request whose Host is not an address of the hub is refused with 400 before anything else.",
    source: "docs/spec/service.md#host-names-and-base-path",
  },
  {
    id: "host.allowed",
    promise: "The public URL's name, loopback names and allowed_hosts are answered.",
    source: "docs/spec/service.md#host-names-and-base-path",
  },
  {
    id: "host.base-path",
    promise: "The path of the public URL stands before every address; nothing is served above it.",
    source: "docs/spec/service.md#host-names-and-base-path",
  },
  {
    id: "canary.silent",
    promise:
      "Nothing of a request, no token and no provider key gets into an answer, a log or the data directory, wherever in the request it stood.",
    source: "docs/spec/service.md#nothing-of-a-request-leaks",
  },
  {
    id: "body.limit",
    promise: "Bodies up to limits.body_bytes are served; larger ones get 413 in the envelope, whatever they announce.",
    source: "docs/spec/service.md#request-bodies",
  },
  {
    id: "body.memory",
    promise: "Memory taken by large bodies is given back.",
    source: "docs/spec/service.md#request-bodies",
  },
  {
    id: "body.hostile",
    promise: "No JSON, however deep, doubled, odd or broken, stops the hub or hides a text from the guard.",
    source: "docs/spec/service.md#request-bodies",
  },
  {
    id: "body.slow",
    promise: "A client that sends its request too slowly is cut off.",
    source: "docs/spec/service.md#request-bodies",
  },
  {
    id: "error.envelope",
    promise: "Errors under /v1 and /api are one envelope, from one closed catalogue with the published statuses.",
    source: "docs/spec/service.md#errors",
  },
  {
    id: "data.one-server",
    promise: "One hub serves from a data directory; a second one ends with 5, and with 6 when its address is taken.",
    source: "docs/spec/service.md#one-hub-for-a-data-directory",
  },
  {
    id: "node.take-over",
    promise:
      "What a dead process of several left is taken over once its lease has ended, by exactly one; what a process that lives has under way is its own.",
    source: "docs/architecture.md#nodes",
  },
  {
    id: "node.renewal",
    promise:
      "A process whose thread is free renews its lease in PostgreSQL whatever else waits for its connections, and whatever row another process does not let go of.",
    source: "docs/decisions/0026-postgresql.md#a-hub-on-it",
  },
  {
    id: "node.log",
    promise:
      "Each of several processes writes its records to a log of its own; lists, exports and searches show all of them as one, in the order of time, without gap or double. One process alone writes to the main database.",
    source: "docs/architecture.md#records-of-several-processes",
  },
  {
    id: "audit.nodes",
    promise:
      "Verification, backup, restore and retention take in the log of every node; verification says of each what it found, and one verdict for all.",
    source: "docs/architecture.md#records-of-several-processes",
  },
  {
    id: "audit.anchors",
    promise:
      "The main log names how far the log of each node goes, when one joins, leaves or is removed, and every minute: what is cut off, replaced or deleted of it after that is found.",
    source: "docs/architecture.md#records-of-several-processes",
  },
  {
    id: "node.one-at-a-time",
    promise: "What one process of several does alone is done by one, and by another once that one is dead.",
    source: "docs/architecture.md#nodes",
  },
  {
    id: "node.shared-counts",
    promise:
      "Where several processes serve, a sign-in attempt is good once, and guesses and paces are counted, over all of them.",
    source: "docs/architecture.md#nodes",
  },
  {
    id: "auth.refusals-shared",
    promise:
      "Where several processes serve, refused tokens are on record with their sum, in one record a second of all of them.",
    source: "docs/architecture.md#state",
  },
  {
    id: "workers.serve",
    promise:
      "`serve --workers N` serves by N processes at one address; one log, one directory, and it starts, stops and refuses to start as one process does.",
    source: "docs/workers.md#what-runs",
  },
  {
    id: "workers.restart",
    promise: "A worker that ends or hangs is started again; the others go on, and no record is lost.",
    source: "docs/workers.md#when-a-worker-ends",
  },
  {
    id: "workers.reload",
    promise:
      "SIGHUP replaces the workers one by one without a failed call; where the new one does not start, nothing changes.",
    source: "docs/workers.md#reload",
  },
  {
    id: "workers.stdio",
    promise:
      "The program of a stdio tool server runs once for all workers; another worker takes it over from one that ends, and a reload fails no call of it.",
    source: "docs/workers.md#stdio-tool-servers",
  },
  {
    id: "workers.postgres",
    promise:
      "Hubs with workers on one PostgreSQL are one: tokens, kill switches and limits hold in every process of each, records of all are shipped, and each hub runs a stdio tool server once, also after a process or a hub was killed.",
    source: "docs/workers.md#with-postgresql",
  },
  {
    id: "workers.stdio-off",
    promise: "A hub with tool_gateway.stdio off starts no program, and says so to who calls its tools.",
    source: "docs/workers.md#stdio-tool-servers",
  },
  {
    id: "workers.metrics",
    promise: "Figures of all workers are read at one address; counters do not fall when a worker is replaced.",
    source: "docs/workers.md#figures",
  },
  {
    id: "node.commands",
    promise: "Where several processes serve, a change made by command holds in each when the command returns.",
    source: "docs/architecture.md#nodes",
  },
  {
    id: "node.clocks",
    promise:
      "Hubs whose clocks are half a minute apart hold nobody for dead because of that, and count limits as one whose clock is right.",
    source: "docs/decisions/0026-postgresql.md#what-several-hubs-count-together",
  },
  {
    id: "limits.shared",
    promise: "Where several processes serve, an agent's limits hold over all of them, and refuse nothing below.",
    source: "docs/architecture.md#nodes",
  },
  {
    id: "hub.background-failures",
    promise: "Work beside the calls that fails where nobody waits for it is logged, and the hub goes on serving.",
    source: "docs/spec/service.md#starting-and-failing",
  },
  {
    id: "crash.no-loss",
    promise: "Killing the process at any moment loses no record of an answered call.",
    source: "docs/spec/service.md#starting-and-failing",
  },
  {
    id: "crash.interrupted",
    promise: "Calls that a crash left open are ended as interrupted at the next start.",
    source: "docs/spec/service.md#starting-and-failing",
  },
  {
    id: "load.isolation",
    promise: "Of many concurrent streams each receives its own answer and nothing of another's.",
    source: "docs/spec/service.md#load",
  },
  {
    id: "load.concurrency",
    promise: "More calls are at a provider at once than the runtime's 256.",
    source: "docs/spec/service.md#load",
  },
  {
    id: "stop.graceful",
    promise:
      "On SIGTERM calls under way are served to their end, new ones, also on new connections, are answered 503, and the hub exits with 0.",
    source: "docs/spec/service.md#stopping",
  },
  {
    id: "stop.cut-off",
    promise: "What takes longer than the shutdown grace is cut off and recorded.",
    source: "docs/spec/service.md#stopping",
  },
  {
    id: "doctor.sqlite",
    promise: "The doctor says which SQLite the hub runs on, and warns of versions that can damage a database.",
    source: "docs/spec/service.md#storage-and-the-doctor",
  },
  {
    id: "settings.storage",
    promise:
      "Administrators and auditors are told how large database, index and backups are, how fast they grow, and when the disk will be full at this rate.",
    source: "docs/spec/service.md#storage-and-the-doctor",
  },
  {
    id: "metrics.figures",
    promise:
      "Figures for collectors count what became of calls and what stands, and hold no name and nothing that was said.",
    source: "docs/spec/service.md#metrics",
  },
  {
    id: "metrics.format",
    promise: "Figures are in Prometheus' text format to the letter, whatever stands in them.",
    source: "docs/spec/service.md#metrics",
  },
  {
    id: "metrics.guarded",
    promise:
      "Figures are at a second address only, off unless set; others than this machine read them with the token only.",
    source: "docs/spec/service.md#metrics",
  },
  {
    id: "source.layers",
    promise:
      "Imports follow the layers: the core is pure, one file reads the environment, packages are imported only where they are allowed.",
    source: "docs/spec/service.md#source-code",
  },
  {
    id: "source.types",
    promise: "No any, no silenced check.",
    source: "docs/spec/service.md#source-code",
  },
  {
    id: "source.version",
    promise: "The version the binary shows is the package's.",
    source: "docs/spec/service.md#source-code",
  },
  {
    id: "source.portable",
    promise: "No file names a directory of somebody's machine or a registry's host.",
    source: "docs/spec/service.md#source-code",
  },
  {
    id: "binary.no-autoload",
    promise: "The binary loads no .env and no bunfig.toml from its working directory.",
    source: "docs/spec/service.md#the-executable",
  },
  {
    id: "provider.managed",
    promise:
      "At /api/providers administrators add, change, test and remove providers; everybody sees them, nobody a key.",
    source: "docs/spec/service.md#providers-over-http",
  },
  {
    id: "provider.private-address",
    promise:
      "A provider added over HTTP is not connected to at a private address unless upstream.allow_private says so.",
    source: "docs/spec/service.md#providers-over-http",
  },
  {
    id: "settings.shown",
    promise:
      "What the hub runs with, where each value comes from, and what is wrong with it, is shown to administrators and auditors, without secrets; to others what concerns them.",
    source: "docs/spec/service.md#settings",
  },
  {
    id: "cli.help",
    promise:
      "The help is grouped by topic, shown when no verb is named, and has examples for every verb, each accepted by the command line.",
    source: "docs/spec/command-line.md#help",
  },
  {
    id: "cli.shells",
    promise: "Completion of bash, zsh and fish, and the manual page, have every verb, flag and value of the catalogue.",
    source: "docs/spec/command-line.md#help",
  },
  {
    id: "cli.calls",
    promise:
      "call list finds calls by agent, user, model, tool, conversation, decision, kind and time, newest first; call show takes every id a list shows, and never shows content.",
    source: "docs/spec/command-line.md#calls-and-the-audit-log",
  },
  {
    id: "cli.follow",
    promise:
      "audit tail --follow shows each record once as it comes, of every process, filtered by kind and agent, and ends with 0 at an interrupt or when its reader is gone.",
    source: "docs/spec/command-line.md#calls-and-the-audit-log",
  },
  {
    id: "cli.terminal",
    promise:
      "Tables fit the width of a terminal and are whole in a pipe; colours and progress are for terminals only, without either under NO_COLOR, TERM=dumb and --no-color.",
    source: "docs/spec/command-line.md#terminals",
  },
  {
    id: "cli.edits",
    promise:
      "agent edit, user role and provider set change what is given, under the rules of the API, and nothing else.",
    source: "docs/spec/command-line.md#changes",
  },
  {
    id: "cli.restrictions",
    promise:
      "restriction list, set and lift restrict an agent by the rules of the API, with an administrator's rights.",
    source: "docs/command-line.md#restriction-set",
  },
  {
    id: "cli.agent-names",
    promise:
      "Agents may have spaces in their names, on the command line as over the API; a refusal says what is allowed.",
    source: "docs/command-line.md#agent-create",
  },
  {
    id: "cli.near-names",
    promise: "Only a name that is near is suggested; every fault of an answers file is named at once.",
    source: "docs/spec/command-line.md#help",
  },
  {
    id: "cli.shown-commands",
    promise:
      "Every command that a page, an error, a hint or a document shows is one the command line takes, with the words a shell reads back as they are.",
    source: "docs/spec/command-line.md#commands-that-are-shown",
  },
  {
    id: "cli.names-hub",
    promise: "What serve prints and its pages show names that hub's configuration file and data directory.",
    source: "docs/spec/command-line.md#which-hub-a-command-means",
  },
  {
    id: "cli.hub-settings",
    promise:
      "A command with no more than the data directory uses the settings of the hub that serves or last served from it, secrets apart; flags, variables and a file win.",
    source: "docs/spec/command-line.md#which-hub-a-command-means",
  },
  {
    id: "cli.no-accidental-data",
    promise:
      "No command but serve, demo, admin create and restore makes a data directory; the others end with 9 and say which flag to give.",
    source: "docs/spec/command-line.md#no-data-directory-by-accident",
  },
  {
    id: "http.nothing-here",
    promise: "A browser at an unknown address gets a page that leads on, with 404; programs get the error as JSON.",
    source: "docs/spec/service.md#addresses-without-content",
  },
  {
    id: "signs.measured",
    promise:
      "`bun run signs` counts how readable the repository is: each sign with its target, and where it was found.",
    source: "docs/development.md#signs",
  },
  {
    id: "dev.reload",
    promise: "`bun run dev` serves a change of the sources by itself, outlives a syntax error, and ends with Ctrl-C.",
    source: "docs/development.md#a-hub-that-follows-the-sources",
  },
];
