import { generateKeyPairSync, sign } from "node:crypto";

/*
 * A self-signed certificate for one host name, made where no openssl is: X.509 (RFC 5280) in just enough DER.
 */

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), body]);
};

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const hex = (tag: number, text: string): Buffer => der(tag, Buffer.from(text, "hex"));
const oid = (text: string): Buffer => hex(0x06, text);
const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value));

const ECDSA_SHA256 = sequence(oid("2a8648ce3d040302"));
const COMMON_NAME = oid("550403");
const SUBJECT_ALT_NAME = oid("551d11");

export type Certificate = { readonly key: string; readonly cert: string };

export const selfSigned = (hostname: string): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, text(0x0c, hostname))));
  const validity = sequence(text(0x17, "200101000000Z"), text(0x17, "491231235959Z"));
  const names = sequence(SUBJECT_ALT_NAME, der(0x04, sequence(text(0x82, hostname))));
  const body = sequence(
    hex(0xa0, "020102"), // version 3
    hex(0x02, "01"), // serial number
    ECDSA_SHA256,
    name,
    validity,
    name,
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, sequence(names)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const pem = sequence(body, ECDSA_SHA256, signature)
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n");
  return {
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${pem}\n-----END CERTIFICATE-----\n`,
  };
};
