import type { DiscoveryResult } from "#guard/tools/discover";
import type { ToolServer } from "#model/tools/tool";

/*
 * What managing tool servers asks of those who can talk to one.
 */

export type { DiscoveryResult } from "#guard/tools/discover";
export type { SignInPlace, ToolSignIn as SignIn, ToolSignInAnswer as SignInAnswer } from "#upstream/tool-port";

/** Connects, lists, takes the list in. A server that does not answer is a value. */
export type DiscoverTools = (server: ToolServer) => Promise<DiscoveryResult>;
