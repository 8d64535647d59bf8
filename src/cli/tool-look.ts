import { GuardError } from "#core/errors";
import type { Look, SignIn } from "#modules/tool-servers/port";
import type { Session } from "./session";
import type { Invocation } from "./verb";

/** How a command looks at a live tool server: connects, lists, takes the list in, and closes the connection. */
export const toolLook =
  (_session: Session, _invocation: Invocation): Look =>
  async () => {
    throw new GuardError("upstream_error", "Tool servers cannot be reached from here yet.");
  };

/** How a command begins the sign-in of a person at a tool server. It ends at the running service. */
export const toolSignIn = (_session: Session, _invocation: Invocation): SignIn => {
  const never = async (): Promise<never> => {
    throw new GuardError("upstream_error", "Signing in at tool servers is not possible from here yet.");
  };
  return { begin: never, finish: never };
};
