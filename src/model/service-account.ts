import { isRecord, parseJson } from "#core/json/json";

/** A service account of Google, as its JSON key file has it. */
export type ServiceAccount = {
  readonly email: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  readonly keyId: string | null;
  readonly tokenUrl: string;
};

const TOKEN_URL = "https://oauth2.googleapis.com/token";

/** Null for what is no key file of a service account. */
export const serviceAccountOf = (text: string): ServiceAccount | null => {
  const body = parseJson(text);
  if (!isRecord(body)) return null;
  const { client_email, private_key, private_key_id, token_uri } = body;
  if (typeof client_email !== "string" || typeof private_key !== "string") return null;
  if (!private_key.includes("-----BEGIN PRIVATE KEY-----")) return null;
  return {
    email: client_email,
    privateKey: private_key,
    keyId: typeof private_key_id === "string" ? private_key_id : null,
    tokenUrl: typeof token_uri === "string" && URL.canParse(token_uri) ? token_uri : TOKEN_URL,
  };
};
