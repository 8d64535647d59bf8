import type { ToolServer } from "#core/tool";
import type { Looked } from "#engine/tools/look";

/*
 * What managing tool servers asks of those who can talk to one.
 */

export type { Looked } from "#engine/tools/look";
export type { SignInPlace, ToolSignIn as SignIn, ToolSignInAnswer as SignInAnswer } from "#upstream/tool-port";

/** Connects, lists, takes the list in. A server that does not answer is a value. */
export type Look = (server: ToolServer) => Promise<Looked>;
