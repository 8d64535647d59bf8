import { charSet, TOKEN } from "#core/scan/char-set";
import { prefixedToken, shapesOf } from "#core/scan/detectors/prefixed-token";
import { alnum, base64, dashedHex, dotted, drawn, formed, hex, longAlnum, padded, token, upper } from "./shapes";

/** Clouds, hosting, infrastructure and secret stores. Source: the providers' public documentation. */
export const cloudToken = prefixedToken({
  id: "secret.cloud_token",
  severity: "critical",
  shapes: [
    ...longAlnum("LTAI", 12, formed(/(?:.*\d){3}/)), // Alibaba Cloud
    ...alnum("AKID", 32), // Tencent Cloud
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
    ...dotted("dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", 40), // Doppler
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
    ...shapesOf("YC", { set: TOKEN, length: 38, exact: true, score: formed(/(?:.*\d){3}/) }),
    ...token("y0_", 50),
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
