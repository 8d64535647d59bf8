import type { Environment } from "#config/environment";
import { ConfigError, type Loaded, loadConfig } from "#config/load";
import { type Arguments, COMMON_FLAGS, parseArguments, SETTING_FLAGS } from "./arguments";
import { VERBS } from "./catalogue";
import { CliExit, EXIT } from "./exit";
import { codeOf, messageOf } from "./failures";
import { overview, unknownVerb, verbHelp } from "./help";
import type { Host } from "./host";
import { CliOutput, type Write } from "./output";
import type { Invocation, Verb } from "./verb";

/** What a command touches outside itself. */
export type CliWorld = {
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  /** Whether a person reads stdout. */
  readonly isTerminal: () => boolean;
  readonly host: Host;
};

type Found = { readonly verb: Verb; readonly rest: readonly string[] };

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
  const words = argv.slice(at, at + 2).filter((word) => !word.startsWith("-"));
  const verb = VERBS.find(({ name }) => name === words.join(" ")) ?? VERBS.find(({ name }) => name === words[0]);
  if (verb) return { verb, rest: [...before, ...argv.slice(at + verb.name.split(" ").length)] };
  throw unknownVerb(words, VERBS);
};

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
  const asked = asksForHelp(rest);
  if (asked) {
    await world.stdout(`${verbHelp(verb)}\n`);
    return EXIT.ok;
  }
  const args = argumentsOf({ verb, rest });
  const colour = () => world.isTerminal() && !world.environment["NO_COLOR"];
  const out = new CliOutput(args.on("json"), world.stdout, world.stderr, colour);
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
    verbs: VERBS,
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
    const [first] = world.argv;
    if (first === "--help" || first === "-h") {
      await world.stdout(`${overview(VERBS)}\n`);
      return EXIT.ok;
    }
    found = findVerb(first === "--version" ? ["version", ...world.argv.slice(1)] : world.argv);
    return await invoke(found, world);
  } catch (error) {
    return await explain(error, world, found?.verb ?? null);
  }
};
