import { ALNUM, charSet, HEX } from "#scan/char-set";
import { prefixedToken, shapesOf } from "./prefixed-token";
import {
  alnum,
  base64,
  checked,
  dashedHex,
  dotted,
  drawn,
  EDGE,
  formed,
  hex,
  longAlnum,
  padded,
  token,
  upper,
  uuid,
} from "./vendor-shapes";

/** Registries, build services, trackers and monitoring. Source: the providers' public documentation. */
export const developerToken = prefixedToken({
  id: "secret.developer_token",
  severity: "critical",
  boundary: EDGE,
  shapes: [
    ...alnum("npm_", 36, checked),
    ...token("pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw", 50),
    ...hex("rubygems_", 48),
    ...alnum("oy2", 43, formed(/^[a-z0-9]+$/)), // NuGet
    ...alnum("cio", 32), // crates.io
    ...longAlnum("CLOJARS_", 60),
    ...padded("ATATT3xFfGF0 ATCTT3xFfGN0", 60), // Atlassian
    ...alnum("ATBB", 32),
    ...longAlnum("BBDC-", 40),
    ...longAlnum("AKCp", 60), // Artifactory
    ...alnum("cmVm", 60),
    ...token("CCIPAT_ CCIPRJ_", 40), // CircleCI
    ...hex("bkua_ bkat_ bkaj_", 40), // Buildkite
    ...upper("API-", 25, formed(/(?:.*\d){3}/)), // Octopus Deploy
    ...upper("API-", 26, formed(/(?:.*\d){3}/)),
    ...token("PMAK- PMAT-", 26), // Postman
    ...alnum("rdme_", 70, drawn), // ReadMe
    ...longAlnum("lin_api_ lin_oauth_", 40), // Linear
    ...token("figd_ figo_ figu_", 36), // Figma
    ...longAlnum("ntn_", 43), // Notion
    ...alnum("secret_", 43),
    ...shapesOf("pat", {
      set: charSet("A-Za-z0-9."),
      length: 79,
      exact: true,
      score: formed(/^[A-Za-z0-9]{14}\.[0-9a-f]{64}$/),
    }), // Airtable
    ...dotted("pat. sat.", 60, formed(/^[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\./)), // Harness
    ...token("CFPAT-", 40), // Contentful
    ...longAlnum("ico-", 32), // Infracost
    ...longAlnum("pnu_ pnb_", 36), // Prefect
    ...token("glsa_", 32), // Grafana
    ...base64("glc_ eyJrIjoi", 32),
    ...upper("NRAK-", 27), // New Relic
    ...token("NRII- NRIQ- NRRA- NRSP-", 27),
    ...hex("NRJS-", 19),
    ...base64("sntrys_eyJ", 60), // Sentry
    ...hex("sntryu_ sntrya_ sntryi_", 64),
    ...token("phx_ phr_", 40), // PostHog
    ...hex("squ_ sqp_ sqa_", 40), // SonarQube
    ...hex("sgp_ sgp_local_ slk_", 40), // Sourcegraph
    ...shapesOf("sgp_", {
      set: charSet("A-Za-z0-9_"),
      length: 57,
      exact: true,
      score: formed(/^[0-9a-fA-F]{16}_[0-9a-fA-F]{40}$/),
    }),
    ...dashedHex("xaat- xapt-", 36), // Axiom
    ...longAlnum("hcaik_ hcalk_ hcamk_", 40), // Honeycomb
    ...token("signkey-prod- signkey-test-", 40), // Inngest
    ...token("tr_dev_ tr_prod_", 20), // Trigger.dev
    ...alnum("sm_aat_ sm_pat_ sm_sat_", 16), // SettleMint
    ...shapesOf("s-s4t2ud- s-s4t2af-", { set: HEX, length: 64, exact: true }), // 42
    ...longAlnum("aio_", 28), // Adafruit IO
    ...shapesOf("apify_api_ KGAT_ unkey_", { set: ALNUM, length: 24, score: drawn }),
    ...dotted("sc_ ext_ scauth_ authress_", 50, formed(/\.acc[_-]/)), // Authress
    ...padded("fio-u-", 60), // Frame.io
    ...shapesOf("_gitlab_session=", { set: ALNUM, length: 32, score: drawn }),
    ...dashedHex("api- sdk-", 36, uuid), // LaunchDarkly
    ...alnum("api- cli-", 28, formed(/^[a-z0-9]+$/)), // Phabricator
    ...alnum("ATTA", 72), // Trello
    ...alnum("odt_", 32), // Dependency-Track
    ...dotted("hawk.", 36), // StackHawk
    ...dashedHex("waka_", 36, uuid), // WakaTime
    ...dotted("snyk_uat. snyk_sat.", 40),
    ...token("sktsec_", 40), // Socket
    ...token("dbtc_ dbtu_ dbts_", 30), // dbt
    ...longAlnum("hbp_", 32), // Honeybadger
    ...hex("cu_", 32), // Checkly
    ...alnum("cxtp_ cxtk_ cxth_", 30), // Coralogix
    ...alnum("ddp_ ddo_ ddw_", 36), // Deno
    ...hex("bpk-", 32), // Builder.io
    ...padded("secret-live- secret-test-", 32), // Stytch
    ...alnum("secret-", 43), // Statsig
    ...token("plainApiKey_", 24),
    ...dotted("p.eyJ1", 60), // Tinybird
    ...padded("mb_", 40), // Metabase
    ...longAlnum("AIK_CI_ AIK_SECRET_", 20), // Aikido
    ...token("n8n_api_", 32),
    ...hex("depot_org_ depot_project_", 64),
    ...token("vtwn_ pyx-key-v1- chpt_", 24),
    ...dotted("eyJ0eXAiOiAiVENWMiJ9.", 40), // TeamCity
    ...dotted("st.", 60, formed(/^[0-9a-f]{24}\./)), // Infisical
  ],
});
