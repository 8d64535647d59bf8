/**
 * A server that does nothing, with more and more of what the hub is made of. Each program of this folder is compiled
 * as the hub is, and says `ready` with its address once it answers.
 */

/** Serves `ok`, on any port, and tells the parent process where. */
export function serveNothing(): void {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("ok") });
  console.log(server.url.href);
}

/** Resolves when the thread with an open database has answered. */
export function startDatabaseThread(): Promise<void> {
  const thread = new Worker("./test/bench/bare/database-thread.ts", { ref: false });
  return new Promise((resolve, reject) => {
    thread.addEventListener("message", () => resolve(), { once: true });
    thread.addEventListener("error", ({ message }) => reject(new Error(message)), { once: true });
  });
}

/** Looks at libraries, so that the bundler leaves nothing of them out. */
export function keep(...libraries: readonly object[]): void {
  if (libraries.some((library) => Object.keys(library).length === 0)) throw new Error("a library has nothing in it");
}
