import type { Environment } from "#config/environment";
import { ConfigError, type Loaded, loadConfig } from "#config/load";
import { type Arguments, COMMON_FLAGS, parseArguments, SETTING_FLAGS } from "./arguments";
import { TOPICS, VERBS } from "./catalogue";
import { CliExit, EXIT } from "./exit";
import { codeOf, messageOf } from "./failures";
import { groupOf, unknownVerb, verbHelp } from "./help";
import type { Host } from "./host";
import { CliOutput } from "./output";
import { columnsIn, showsColour, showsProgress, type Terminal } from "./terminal";
import type { Invocation, Verb } from "./verb";
import type { Write } from "./write";

/** What a command touches outside itself. */
export type CliWorld = {
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  readonly terminal: Terminal;
  readonly host: Host;
};

type Found = { readonly verb: Verb; readonly rest: readonly string[] };

/** In words: `hook source add`. */
const MAX_VERB_WORDS = Math.max(...VERBS.map(({ name }) => name.split(" ").length));

/** The verb's words are the first ones; flags of every verb may stand before them. */
const findVerb = (argv: readonly string[]): Found => {
  const before: string[] = [];
  let at = 0;
  for (let arg = argv[at]; arg?.startsWith("-") && arg !== "-"; arg = argv[at]) {
    const flag = COMMON_FLAGS[arg.slice(2)];
    const taken = flag?.value ? 2 : 1;
    before.push(...argv.slice(at, at + taken));
    at += taken;
  }
  const words = argv.slice(at, at + MAX_VERB_WORDS).filter((word) => !word.startsWith("-"));
  const verb = words
    .map((_, end) => VERBS.find(({ name }) => name === words.slice(0, end + 1).join(" ")))
    .findLast((found) => found !== undefined);
  if (verb) return { verb, rest: [...before, ...argv.slice(at + verb.name.split(" ").length)] };
  const help = VERBS.find(({ name }) => name === "help");
  const rest = argv.slice(at);
  if (help && isAlone(rest)) return { verb: help, rest: [...before, ...rest].filter(asksNothingElse) };
  throw unknownVerb(words.slice(0, 2), TOPICS);
};

/** `guardhouse` alone, or a noun such as `token`: its help is what is wanted. */
const isAlone = ([noun, ...rest]: readonly string[]): boolean =>
  noun === undefined || (groupOf(noun, TOPICS).length > 0 && rest.every((word) => word.startsWith("-")));

const asksNothingElse = (word: string): boolean => word !== "-h" && word !== "--help";

const settingsOf = (verb: Verb, args: Arguments, environment: Environment): Loaded => {
  const flags = Object.entries(SETTING_FLAGS).map(([flag, key]) => [key, args.text(flag)] as const);
  const given = { environment, flags: Object.fromEntries(flags), file: args.text("config") };
  return loadConfig({ ...given, besideHub: verb.ownSettings !== true });
};

const argumentsOf = ({ verb, rest }: Found): Arguments =>
  parseArguments(rest, { ...COMMON_FLAGS, ...verb.flags }, verb.operands ?? []);

/** The name of the verb a command line calls. Throws a usage `Stop` for a line that would be refused. */
export const verbOf = (argv: readonly string[]): string => {
  const found = findVerb(argv);
  argumentsOf(found);
  return found.verb.name;
};

const invoke = async ({ verb, rest }: Found, world: CliWorld): Promise<number> => {
  const { terminal, environment } = world;
  const outputOf = (json: boolean): CliOutput =>
    new CliOutput(json, world.stdout, world.stderr, {
      columns: () => columnsIn(terminal, environment),
      colour: () => showsColour(terminal, environment) && !rest.includes("--no-color"),
      readsErrors: () => showsProgress(terminal, environment),
    });
  if (asksForHelp(rest)) {
    const out = outputOf(false);
    await out.write(`${verbHelp(verb, out.paint)}\n`);
    return EXIT.ok;
  }
  const args = argumentsOf({ verb, rest });
  const out = outputOf(args.on("json"));
  let loaded: Loaded | undefined;
  const settings = (): Loaded => {
    loaded ??= settingsOf(verb, args, world.environment);
    return loaded;
  };
  const invocation: Invocation = {
    args,
    out,
    environment: world.environment,
    host: world.host,
    settings,
    config: () => settings().config,
    topics: TOPICS,
  };
  const run = await verb.load();
  return run(invocation);
};

const asksForHelp = (rest: readonly string[]): boolean => {
  const flags = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  return flags.includes("--help") || flags.includes("-h");
};

const explain = async (error: unknown, world: CliWorld, verb: Verb | null): Promise<number> => {
  if (error instanceof ConfigError) {
    for (const problem of error.problems) await world.stderr(`guardhouse: ${problem}\n`);
    return EXIT.configuration;
  }
  await world.stderr(`guardhouse: ${messageOf(error)}\n`);
  const code = codeOf(error);
  if (code === EXIT.usage && error instanceof CliExit) {
    const topic = verb ? `${verb.name} --help` : "help";
    const hint = `Run \`guardhouse ${topic}\` for the arguments.`;
    await world.stderr(error.help === null ? `${hint}\n` : `\n${error.help}\n`);
  }
  if (world.argv.includes("--debug") && error instanceof Error) await world.stderr(`${error.stack}\n`);
  return code;
};

/** Runs one command line and gives its exit code. Never throws. */
export const runCommand = async (world: CliWorld): Promise<number> => {
  let found: Found | null = null;
  try {
    const [first = "", ...rest] = world.argv;
    found = findVerb(["--version", "-V"].includes(first) ? ["version", ...rest] : world.argv);
    return await invoke(found, world);
  } catch (error) {
    return await explain(error, world, found?.verb ?? null);
  }
};
