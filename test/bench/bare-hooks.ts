/** What a hook source asks in the least form that keeps its promise: the signature over the bytes, the JSON, an answer. */
import { timingSafeEqual } from "node:crypto";
import { serveParent } from "./child.ts";

const [secret = ""] = process.argv.slice(2);
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");

const server = Bun.serve({
  port: 0,
  maxRequestBodySize: 67_108_864,
  async fetch(request) {
    const body = await request.bytes();
    const { headers } = request;
    const mac = new Bun.CryptoHasher("sha256", key);
    mac.update(`${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.`).update(body);
    const given = Buffer.from((headers.get("webhook-signature") ?? "").replace(/^v1,/, ""), "base64");
    const digest = mac.digest();
    const isSigned = given.length === digest.length && timingSafeEqual(digest, given);
    const frame: unknown = JSON.parse(new TextDecoder().decode(body));
    return Response.json({ action: isSigned && typeof frame === "object" ? "allow" : "deny" });
  },
});

serveParent(server.url.href);
