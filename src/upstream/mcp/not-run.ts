import { ToolFailure, type ToolUpstream } from "#upstream/tool-port";

/** A server that is a program, at a hub that starts none. */
export const notRun = (slug: string): ToolUpstream => {
  const refuse = async (): Promise<never> => {
    const message = `This hub does not run ${slug}: it starts no stdio tool servers (tool_gateway.stdio is off). Call it at the hub that does.`;
    throw new ToolFailure("unreachable", message, false);
  };
  return { list: refuse, call: refuse, ask: refuse, watch: refuse, close: async () => {} };
};
