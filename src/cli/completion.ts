import { type Completed, completedOf } from "./completed";
import { bashScript } from "./completion-bash";
import { fishScript } from "./completion-fish";
import { zshScript } from "./completion-zsh";
import { EXIT, usage } from "./exit";
import type { RunVerb } from "./verb";

export const SHELLS = ["bash", "zsh", "fish"] as const;

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (completed: Completed) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `completion SHELL`: the script on stdout, whatever else is asked for. */
export const completion: RunVerb = async ({ args, out, topics }) => {
  const wanted = args.needOperand(0);
  const shell = SHELLS.find((one) => one === wanted);
  if (shell === undefined) throw usage(`completion: one of ${SHELLS.join(", ")}, got "${wanted}"`);
  const script = SCRIPTS[shell](completedOf(topics));
  await out.result({ shell, script }, script);
  return EXIT.ok;
};
