import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Provider from "oidc-provider";

/*
 * A real OpenID provider, as a process of its own. Whoever stands at its sign-in page is whom `?account=` names; what it
 * says of them is put to `/accounts/NAME` before. It writes its address on stdout once it listens.
 */

type Claims = Readonly<Record<string, unknown>>;

const SCOPES = "openid email profile groups";
const accounts = new Map<string, Claims>();

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    response.statusCode = 500;
    response.end(String(error));
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
if (typeof address !== "object" || address === null) throw new Error("no address");
const issuer = `http://127.0.0.1:${address.port}`;

const provider = new Provider(issuer, {
  clients: [],
  scopes: SCOPES.split(" "),
  claims: {
    openid: ["sub"],
    email: ["email", "email_verified"],
    profile: ["name"],
    groups: ["groups", "realm_access"],
  },
  cookies: { keys: ["for tests only"] },
  features: {
    devInteractions: { enabled: false },
    // The hub's address is known after the provider's: it is registered by the test, as the hub expects it to be.
    registration: {
      enabled: true,
      idFactory: () => "guardhouse",
      secretFactory: () => "s3cret-of-the-hub-at-the-provider",
    },
  },
  interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  findAccount: (_context: unknown, id: string) => ({
    accountId: id,
    claims: () => ({ ...accounts.get(id), sub: id }),
  }),
});
const serve = provider.callback();

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? "/", issuer);
  const [, room, name = ""] = url.pathname.split("/");
  if (room === "accounts") {
    accounts.set(name, JSON.parse(await bodyOf(request)));
    response.end();
  } else if (room === "interaction") {
    const accountId = url.searchParams.get("account") ?? "";
    if (accountId === "nobody") {
      const refusal = { error: "access_denied", error_description: "<script>alert(1)</script>" };
      await provider.interactionFinished(request, response, refusal);
      return;
    }
    await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId, clientId: "guardhouse" });
    grant.addOIDCScope(SCOPES);
    const result = { login: { accountId }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result);
  } else {
    serve(request, response);
  }
};

process.stdout.write(`${issuer}\n`);
