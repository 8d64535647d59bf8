import type { Maker } from "./made-personal-data";
import { ALNUM, DIGITS, LOWER, type Random, UPPER } from "./random";

/** Services whose keys have no mark of their own, as people write their names in settings and code. */
const SERVICES = (
  "abstractapi adafruit aeroworkflow airship alienvault amadeus apiflash appcues aqicn artsy autoklose axonaut aylien " +
  "barchart besnappy blazemeter borgbase bugherd bulksms buttercms calendarific campayn caspio cexio cicero clickhelp " +
  "cloudplan coinlayer commercejs convertkit crowdin currencylayer customerio databox datafire deepai dfuse ditto " +
  "dronahq dyspatch easyinsight edamam enigma etherscan everhour fetchrss fileio flowflu formbucket fulcrum geocodio " +
  "getresponse goodday gosquared graphcms guru happyscribe helpcrunch holidayapi humanity imagekit instabot ipstack " +
  "jotform kanban keenio kickbox lessannoyingcrm livestorm mailboxlayer mailerlite manifest marketstack meaningcloud " +
  "metaapi mindmeister mixcloud moonclerk mrticktock navitia nethunt newscatcher nutritionix omnisend openuv optidash " +
  "paperform parseur pastebin peopledatalabs pixabay planyo polygonio postbacks powrbot prospectio purestake quickmetrics " +
  "raven refiner restpack roaring rockset salesmate satismeter scrapeowl screenshotapi serphouse shutterstock simplesat " +
  "smartystreets spoonacular stormglass strava survicate tatumio teamgate tickettailor tomorrowio twelvedata uplead " +
  "userflow vatlayer verifier visualcrossing voicegain wakatime webscraper wistia worldcoinindex zenscrape zipcodeapi zonkafeedback"
).split(" ");

/** The name in the forms of settings, code and prose. */
const FORMS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.charAt(0).toUpperCase() + name.slice(1),
];

/** What services give out: letters and digits of so many lengths, UUIDs, base64 and base64url. */
const SHAPES: readonly ((random: Random) => string)[] = [
  (r) => r.hex(32),
  (r) => r.hex(40),
  (r) => r.hex(64),
  (r) => r.hex(r.pick([16, 20, 24, 48])),
  (r) => r.text(r.between(20, 40), LOWER + DIGITS),
  (r) => r.text(32, LOWER + DIGITS),
  (r) => r.text(r.between(16, 24), ALNUM),
  (r) => r.text(r.between(25, 64), ALNUM),
  (r) => r.text(43, `${ALNUM}-_`),
  (r) => `${r.text(43, `${ALNUM}+/`)}=`,
  (r) => [8, 4, 4, 4, 12].map((length) => r.hex(length)).join("-"),
  (r) => r.text(r.between(20, 32), UPPER + DIGITS),
  (r) => `${r.text(r.between(8, 12), ALNUM)}.${r.text(r.between(22, 32), ALNUM)}`,
];

/** `@`: the value, `%`: the service. */
const CREDENTIAL_FRAMES = [
  "%_api_key=@",
  "%_token = '@'",
  '%_secret: "@"',
  "%.secret: @",
  '"%Token": "@"',
  '{"%_client_secret": "@"}',
  "%-api-token: @",
  "export %_KEY=@",
  "const %Key = '@';",
  "The % api key is @",
  "my % token: @",
  "% key: @",
  "%:\n  api_key: @",
  '"%": {\n    "key": "@"\n  }',
  "% API key (production): @",
  "% access token => @",
  "curl https://api.%.io/v1/me?api_key=@",
  "https://%.com/rest/list?format=json&key=@",
  'headers = {"X-%-Key": "@"}',
  '"test_secrets": { "%_secret": "@" }',
  '<string name="%_api_key">@</string>',
  'new %Client("@")',
  "%_AUTH=@",
  "%_credentials = '@'",
  "% license key @",
  "Your % API token is: @",
  "--%-token @",
  "%_pat: @",
  "%Auth = '@'",
  "%_app_secret='@'",
];
/** The service alone beside the value, without a word for what it is. */
const NAME_FRAMES = ["% = '@'", "%: @", '"%": "@"', "%=@", "% '@'", "%.client = connect('@')"];

const named =
  (frames: readonly string[]) =>
  (random: Random): { readonly frame: string; readonly value: string } => ({
    frame: random.pick(frames).replaceAll("%", random.pick(FORMS)(random.pick(SERVICES))),
    value: random.pick(SHAPES)(random),
  });

export const namedCredential = named(CREDENTIAL_FRAMES);
export const namedAlone = named(NAME_FRAMES);

const maker = (frame: string): Maker => ({
  type: "secret.generic",
  make: (random) => random.pick(SHAPES)(random),
  frames: SERVICES.map((name, at) => frame.replaceAll("%", FORMS[at % FORMS.length]?.(name) ?? name)),
});

/** One maker a frame. */
export const NAMED_SECRETS: readonly Maker[] = CREDENTIAL_FRAMES.map(maker);
