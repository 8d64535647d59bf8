import { COMMANDS, commandLine } from "#core/command-line";
import { CLIENT_VARIABLES } from "#model/client-variables";
import { type Client, configHome, path } from "./client";
import { openaiVariables } from "./environment";

const { token: TOKEN } = CLIENT_VARIABLES;

export const OPENAI: Client = {
  id: "openai",
  label: "OpenAI environment",
  seen: "calls of programs that are started with these variables and go by them",
  unseen: `programs that set a base URL of their own, and programs that were started without the file. \`${commandLine(COMMANDS.runProgram())}\` runs one program with the variables of Anthropic's SDKs too`,
  token: `from the variable \`${TOKEN}\`, which the file names; not written`,
  use: "Read the file into a shell, with a dot and a space before its name, and start programs there",
  files: (target, places) => {
    const folder = path(places, configHome(places), "guardhouse");
    const isWindows = places.platform === "win32";
    const token = isWindows ? `$env:${TOKEN}` : `$${TOKEN}`;
    const lines = Object.entries(openaiVariables({ hub: target.hub, token })).map(([name, value]) =>
      isWindows ? `$env:${name} = "${value}"` : `export ${name}="${value}"`,
    );
    const text = [...lines, ""].join("\n");
    return [
      isWindows
        ? { paths: [path(places, folder, "openai.ps1")], contents: { format: "powershell", text } }
        : { paths: [path(places, folder, "openai.sh")], contents: { format: "sh", text } },
    ];
  },
};
