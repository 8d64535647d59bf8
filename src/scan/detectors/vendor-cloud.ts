import { ALNUM, charSet, DIGIT } from "#scan/char-set";
import { prefixedToken, shapesOf } from "./prefixed-token";
import { alnum, base64, dashedHex, dotted, drawn, formed, hex, longAlnum, padded, token, upper } from "./vendor-shapes";

/** Clouds, hosting, infrastructure and secret stores. Source: the providers' public documentation. */
export const cloudToken = prefixedToken({
  id: "secret.cloud_token",
  severity: "critical",
  shapes: [
    ...longAlnum("LTAI", 12, formed(/(?:.*\d){3}/)), // Alibaba Cloud
    ...longAlnum("STS.N", 20), // Alibaba Cloud, temporary
    ...longAlnum("AKID", 32), // Tencent Cloud
    ...token("AKLT", 40), // Volcengine
    ...alnum("ALTAK", 21), // Baidu
    ...upper("A3T", 17, formed(/(?:.*\d){2}/)), // AWS, old
    ...base64("IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz", 100), // AWS session tokens
    ...alnum("da2-", 26), // AWS AppSync
    ...upper("GOOG1E", 55), // Google's HMAC keys
    ...upper("GOOG", 20, formed(/(?:.*\d){2}/)),
    ...upper("DO00", 16, formed(/(?:.*\d){2}/)), // DigitalOcean Spaces
    ...token("AVNS_", 18), // Aiven
    ...hex("EXO", 24), // Exoscale
    ...token("tk-us-", 48), // Scalingo
    ...token("ucat_", 26), // UpCloud
    ...longAlnum("npg_", 12, formed(/^(?=.*[a-z])(?=.*[A-Z]).*\d/)), // Neon's passwords
    ...token("CCDB1_", 40), // CockroachDB
    ...base64("cflt", 60), // Confluent
    ...token("fnA", 37, formed(/^(?=.*[A-Z])(?=(?:.*\d){3})/)), // Fauna
    ...shapesOf("AstraCS:", { set: charSet("A-Za-z0-9:"), length: 89, score: drawn }), // DataStax
    ...alnum("4b1d", 38, formed(/^(?=.*[A-Z])(?=.*[a-z]).*\d/)), // ClickHouse Cloud
    ...padded("dnkey-", 78), // Defined Networking
    ...token("castai_v1_", 60),
    ...hex("dotenv://:key_", 64),
    ...hex("doo_v1_ dop_v1_ dor_v1_", 64), // DigitalOcean
    ...token("GOCSPX-", 28), // Google OAuth client
    ...dotted("ya29.", 40), // Google access token
    ...token("1//0", 40), // Google refresh token
    ...token("hvs. hvb. hvr.", 24), // HashiCorp Vault
    ...alnum("s.", 24, formed(/^(?=.*[a-z])(?=.*[A-Z])(?=(?:.*\d){2})/)),
    ...padded("atlasv1.", 60), // HCP Terraform
    ...hex("pul-", 40), // Pulumi
    ...hex("dapi dose dkea", 32), // Databricks
    ...token("fo1_", 43), // Fly.io
    ...base64("fm1r_ fm1a_ fm2_", 80),
    ...token("HRKU-", 36), // Heroku
    ...padded("pscale_tkn_ pscale_oauth_ pscale_pw_", 32), // PlanetScale
    ...dotted("dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dp.said.", 40), // Doppler
    ...dotted("dt0c01. dt0s01. dt0s16.", 80), // Dynatrace
    ...longAlnum("nfp_ nfo_ nfc_ nfu_", 36), // Netlify
    ...token("vcp_ vci_ vca_ vcr_ vck_", 40), // Vercel
    ...token("cfk_ cfut_ cfat_", 40), // Cloudflare
    ...dashedHex("v1.0-", 120), // Cloudflare origin CA
    ...hex("sbp_", 40), // Supabase
    ...token("sb_secret_", 22),
    ...longAlnum("napi_", 50), // Neon
    ...token("xau_", 30), // Xata
    ...token("tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-", 20), // Tailscale
    ...token("dckr_pat_ dckr_oat_", 27), // Docker
    ...token("sha256~", 43, formed(/^(?=.*[g-zG-Z])/)), // OpenShift
    ...dotted("t1.", 60, formed(/[A-Z]/)), // Yandex Cloud
    ...token("AQVN", 34),
    ...token("y0_ y1_ y2_ y3_", 50),
    ...upper("SCW", 17, formed(/(?:.*\d){2}/)), // Scaleway
    ...token("mdb_sa_sk_", 30), // MongoDB Atlas
    ...base64("essu_", 40), // Elastic
    ...token("ory_pat_ ory_at_ ory_st_", 30),
    ...token("rnd_", 28), // Render
    ...upper("AGE-SECRET-KEY-1", 58, () => 1), // age
    ...shapesOf("A3-", {
      set: charSet("A-Z0-9-"),
      length: 36,
      score: formed(/^[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-/),
    }), // 1Password
    ...base64("ops_eyJ", 120),
    ...base64("LS0tLS1CRUdJTiBSU0EgUFJJVkFU LS0tLS1CRUdJTiBQUklWQVRF LS0tLS1CRUdJTiBFQyBQUklWQVRF", 40), // PEM in base64
    ...base64("LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBV LS0tLS1CRUdJTiBFTkNSWVBURUQg", 40),
    ...shapesOf("SharedAccessKey= AccountKey= sig=", { set: charSet("A-Za-z0-9+/=%"), length: 43, score: drawn }), // Azure
  ],
});

/** Azure's marks stand within the key; what follows them is enough of it to be taken out. */
export const azureKey = prefixedToken({
  id: "secret.azure_key",
  severity: "critical",
  boundary: charSet(""),
  shapes: [
    // A client secret of Entra ID: three characters, a digit, the mark, thirty-one and more.
    ...shapesOf("Q~", { set: charSet("A-Za-z0-9_~.-"), length: 31, after: DIGIT, score: drawn }),
    // Keys of 84 characters, with the mark at the 53rd.
    ...shapesOf("JQQJ99", { set: ALNUM, length: 26, after: ALNUM, score: drawn }),
  ],
});
