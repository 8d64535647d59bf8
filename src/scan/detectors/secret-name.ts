/** Names of things about a secret, or that use its words for something else. */
const ABOUT =
  /(?:id|ids|name|file|path|dir|url|uri|endpoint|header|type|length|len|size|bits|field|label|title|count|limit|max|min|expir\w*|ttl|age|date|time|prefix|suffix|pattern|regex|format|alg|algorithm|version|hint|policy|ref|arn|vault|store|manager|provider|class|usage|index|param|status|state|scope|kind|mode|address|symbol|bucket|region|user|username|email|column|table|row|message|error|text|project|handler|pem|crt|cer|p12|pfx|txt|json|ya?ml|description|code|event|certificate|chain)s?$/i;
const OTHER_THING =
  /public|publishable|pub_?key|sentry_?key|search_?(?:only|key|api)|csrf|xsrf|authenticity|nonce|page|cursor|continuation|(?:next|client|change|lock|action|update|import|confirmation|unit|sync|resume|pagination|starting)[_-]?(?:request[_-]?)?token|primary|foreign|partition|sort|cache|idempot|hash|checksum|digest|sha\d|md5|fingerprint|etag|integrity|thumb|max_?token|special|translation|i18n|react|keyboard|keyword|author(?!iz)|storage_?key|query|host_?key|object_?key|site_?key|key_?vault|known_hosts|(?:trace|request|correlation|routing|row|map)[_-]?key|json$/i;

/** Whether a name ends as names of things about a secret do: `token_url`, `key_id`. */
export const isAbout = (rest: string): boolean => ABOUT.test(rest);

/** Whether a name is that of something else with a secret's word in it: `public_key`, `next_page_token`. */
export const isOtherThing = (name: string): boolean => OTHER_THING.test(name);

/** What services number and sum up: it looks drawn, and everybody may see it. */
const NUMBERED =
  /(?:^|[_.-]|[a-z](?=[A-Z]))(?:account|project|site|team|org|organi[sz]ation|zone|workspace|tenant|customer|user|order|request|trace|span|session|installation|node|deployment|build|release|commit|revision|rev|sha|tag|image|verification|measurement|tracking|object|record|price|product|event|message|channel|thread|run|job|file|cluster|instance|subscription|resource|correlation|transaction|invoice|asset|version|branch|cursor|digest|checksum|etag|hash|fingerprint|signature|integrity|uuid|guid)s?(?:[_.-]?(?:id|uuid|guid|number|no|sha|hash|ref)s?)?$/i;
export const isNumbered = (name: string): boolean => NUMBERED.test(name);

/** Objects of services as they number them, and what browsers are told of apps: shown in addresses, logs and answers. */
const OBJECT_ID =
  /^(?:(?:cus|price|prod|pi|pm|acct|evt|sub|si|in|ii|ch|re|txn|cs|seti|src|card|ba|po|tr|prj|team|dpl|msg|chatcmpl|asst|thread|run|file|vs|step|batch|resp|call|org|user|req)[_-][A-Za-z0-9]{10,64}|(?:tbl|rec|fld|viw|app|usr|wsp)[A-Za-z0-9]{14}|\d+:\d+:(?:web|ios|android):[0-9a-f]+|(?:AC|SM|MM|CA|MG|PN|WA|RE|QU|NO|CH|IS)[0-9a-f]{32}|(?:UA|G|GTM|AW|DC)-[A-Z0-9-]{6,14}|[CTUWBDG]0[A-Z0-9]{8,10}|(?:i|ami|vol|vpc|subnet|sg|snap|eni|rtb|igw)-[0-9a-f]{8,17})$/;
export const isObjectId = (value: string): boolean => OBJECT_ID.test(value);
