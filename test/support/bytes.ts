/**
 * A file's bytes, read by a process of their own. SQLite's locks on a file are the process's, and whoever closes any
 * descriptor of it gives all of them up (POSIX): a connection that is open here would be without them, and a hub that
 * takes itself for the last one takes the log away from under it.
 */
export const bytesOf = async (path: string): Promise<Buffer> => {
  const { stdout } = Bun.spawn(["cat", "--", path], { stderr: "ignore" });
  return Buffer.from(await new Response(stdout).arrayBuffer());
};
