import { type CommandWords, commandLine } from "#core/command-line";
import { useGet } from "#dashboard/parts/hooks";
import { CodeLine } from "./copy";

/** A command for a terminal at the hub's machine, which names this hub to those who may know where it is. */
export const HubCommand = ({ words }: { readonly words: CommandWords }) => {
  const settings = useGet("GET /api/settings", {});
  return <CodeLine text={commandLine(words, settings.data?.command_place ?? undefined)} />;
};
