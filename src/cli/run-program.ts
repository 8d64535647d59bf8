import { existsSync } from "node:fs";
import { programVariables } from "#clients/environment";
import { COMMANDS, commandLine } from "#core/command-line";
import { hubOf } from "./connect/hub";
import { CliExit, usage } from "./exit";
import { MISSING, NOT_EXECUTABLE } from "./host";
import type { RunVerb } from "./verb";

/** `run`: a program in whose environment SDKs of OpenAI and Anthropic find the hub. */
export const runProgram: RunVerb = async ({ args, environment, host }) => {
  const [program, ...rest] = args.command ?? [];
  if (program === undefined) throw usage(`the program is missing: ${commandLine(COMMANDS.runProgram())}`);
  const variables = { ...environment, ...programVariables(hubOf(environment)) };
  const path = Bun.which(program, { PATH: environment["PATH"] ?? "" });
  if (path === null) {
    const isThere = program.includes("/") && existsSync(program);
    throw isThere
      ? new CliExit(NOT_EXECUTABLE, `${program} cannot be run: it is not executable`)
      : new CliExit(MISSING, `No program ${program}`);
  }
  return host.become(path, [program, ...rest], variables);
};
