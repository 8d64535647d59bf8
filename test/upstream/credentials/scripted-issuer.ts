import type { ProviderCredential, ProviderKind } from "#model/provider";
import { openCredential } from "#upstream/credentials/open";
import { plainFetch } from "#upstream/plain-fetch";
import type { Credential, CredentialEnvironment } from "#upstream/port";

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly form: URLSearchParams;
};

type Answer = (asked: Asked, position: number) => Response;

/** Something that gives out tokens or keys, over real HTTP. It answers as it is told and remembers what it was asked. */
export class ScriptedIssuer implements Disposable {
  readonly asked: Asked[] = [];
  readonly #server: ReturnType<typeof Bun.serve>;

  constructor(public answer: Answer) {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        const form = new URLSearchParams(await request.text());
        const asked = { method: request.method, path: pathname + search, headers: request.headers, form };
        this.asked.push(asked);
        return this.answer(asked, this.asked.length - 1);
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  get host(): string {
    return `127.0.0.1:${this.#server.port}`;
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }
}

export const NEVER = new AbortController().signal;

/** A clock that a test moves. */
export class MovedClock {
  ms = Date.UTC(2026, 10, 23, 12);
  readonly now = (): number => this.ms;
}

type World = {
  readonly credential: ProviderCredential;
  readonly kind: ProviderKind;
  readonly secret?: string;
  readonly environment?: CredentialEnvironment;
  readonly clock?: MovedClock;
};

/** A credential as the hub opens it, which asks over real connections. */
export const opened = ({ credential, kind, secret, environment = {}, clock = new MovedClock() }: World): Credential =>
  openCredential({
    ...{ kind, credential, secret: secret ?? null, environment, now: clock.now },
    ...{ given: plainFetch, known: plainFetch },
  });

export const REQUEST = {
  method: "POST",
  url: "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1/chat/completions",
  headers: new Headers({ "content-type": "application/json", "accept-encoding": "identity" }),
  body: '{"model":"m"}',
};

/** What a request is sent with. */
export const sentWith = async (credential: Credential, name = "authorization"): Promise<string | null> =>
  (await credential.authorize(REQUEST, NEVER)).get(name);
