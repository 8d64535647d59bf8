/** The end of a sign-in at a program on somebody's own computer: it listens on loopback until the browser comes back. */
export class Loopback implements AsyncDisposable {
  private readonly came = Promise.withResolvers<URLSearchParams>();
  private readonly server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== "/callback") return new Response(null, { status: 204 });
      this.came.resolve(searchParams);
      return new Response("You can close this window.");
    },
  });

  get url(): string {
    return `http://127.0.0.1:${this.server.port}/callback`;
  }

  /** What the browser brought. */
  get parameters(): Promise<URLSearchParams> {
    return this.came.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true);
  }
}
