import { readFileSync } from "node:fs";
import { type ConfiguredSource, DEFAULT_BUDGET_MS } from "#model/hook-source";
import { isUuid } from "#platform/ids";
import { signingKey } from "#platform/standard-webhooks";
import type { Environment } from "./environment";
import { ConfigError } from "./load";
import type { Config } from "./schema";

type Said = Config["hooks"]["source"][number];

/** `[[hooks.source]]` with their secrets. Throws `ConfigError` for one without. */
export const configuredSources = (
  config: Pick<Config, "hooks">,
  environment: Environment,
): readonly ConfiguredSource[] => {
  const { sources, problems } = sourcesIn(config, environment);
  if (problems.length > 0) throw new ConfigError(problems);
  return sources;
};

/** The same for a command, in whose environment the secrets need not be. */
export const sourcesIn = ({ hooks }: Pick<Config, "hooks">, environment: Environment) => {
  const problems: string[] = [];
  const names = new Set<string>();
  const sources = hooks.source.map((said): ConfiguredSource => {
    const { name, kind, user = null, agent = null, applications = {}, redact = "deny" } = said;
    if (names.has(name)) problems.push(`hooks.source: two have the name ${name}`);
    names.add(name);
    if (user === null && agent !== null && !isUuid(agent)) {
      problems.push(`hooks.source ${name}: an agent by its name needs the user whose it is; else give its id`);
    }
    if (user === null && agent === null) problems.push(`hooks.source ${name}: needs a user or an agent`);
    const secrets = secretsOf(said, environment, (problem) => problems.push(`hooks.source ${name}: ${problem}`));
    const settings = {
      applications: { ...applications },
      redact,
      budget_ms: said.budget_ms ?? DEFAULT_BUDGET_MS[kind],
    };
    return { name, kind, user, agent, settings, secrets };
  });
  return { sources, problems };
};

const MAX_SECRETS = 2;
/** As where it is given by the API; what signs is as long as its key is. */
const MIN_SECRET = 16;

const secretsOf = (
  { kind, secret_env: variable, secret_file: file }: Said,
  environment: Environment,
  complain: (problem: string) => void,
): readonly string[] => {
  if ((variable === undefined) === (file === undefined)) {
    complain("needs secret_env or secret_file, and not both");
    return [];
  }
  const text = file === undefined ? environment[variable ?? ""] : textOf(file, complain);
  const secrets = (text ?? "").split(/\s+/).filter((one) => one !== "");
  if (secrets.length === 0) complain(`no secret is in ${variable === undefined ? "secret_file" : variable}`);
  if (kind !== "copilot-studio" && secrets.some((secret) => signingKey(secret) === null)) {
    complain("its secret is not whsec_ and base64");
  }
  if (kind === "copilot-studio" && secrets.some((secret) => secret.length < MIN_SECRET)) {
    complain(`its secret is shorter than ${MIN_SECRET} characters`);
  }
  if (secrets.length > MAX_SECRETS) complain(`has more than ${MAX_SECRETS} secrets`);
  return secrets.slice(0, MAX_SECRETS);
};

const textOf = (file: string, complain: (problem: string) => void): string => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    complain("secret_file cannot be read");
    return "";
  }
};
