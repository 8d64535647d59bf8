import { ALNUM, charSet } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { drawnBits } from "./drawn";
import { isPlaceholder } from "./placeholder";

const SCHEMES =
  "postgres postgresql mysql mysqlx mariadb mongodb mongodb+srv redis rediss amqp amqps mssql sqlserver oracle " +
  "clickhouse cockroachdb couchdb neo4j bolt nats kafka mqtt mqtts ftp ftps sftp ssh smb smtp smtps imap imaps ldap ldaps http https " +
  "cloudinary couchbase couchbases cql db2 hana redshift rtsp stomp sybase teradata telnet vnc rdp jdbc:sqlserver jdbc:redshift " +
  "jdbc:postgresql jdbc:mysql jdbc:mariadb jdbc:oracle rediss+sentinel mongodb+tls amqp+ssl pulsar ws wss socks5 socks4 git svn presto trino snowflake vertica cassandra scylla elasticsearch influxdb pop3 pop3s xmpp postgresql+psycopg2 postgresql+asyncpg postgresql+psycopg mysql+pymysql mysql+mysqldb mssql+pyodbc";

const USER = charSet("A-Za-z0-9._~%!&+,;=-");
/** Some that should be escaped are often not; the last `@` ends it. */
const PASSWORD = charSet("!#$%&()*+,.:;=@^_`|~A-Za-z0-9{}<>[]-");
const HOST = charSet("A-Za-z0-9._-");
const MAX_USER_LENGTH = 64;
const MAX_PASSWORD_LENGTH = 128;
const HOST_SEEN = 64;

const TEACHING =
  /^(?:pass(?:word|wd|phrase)?\d*|pwd|secret|test|user(?:name)?|admin|root|postgres|mysql|guest|token|key|changeme|mypass(?:word)?|my[-_]?secret|pw|123456?|foo|bar|[x*.]+)$/i;
const VARIABLE = /^(?:\$|\{|<|%[({A-Z]|\[|__)|[}>\])]$/;
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|db|host(?:name)?|server)$/i;
/** RFC 2606 §3. */
const DOCUMENTED_HOST = /\bexample(?:\.(?:com|org|net))?$/i;

/** `scheme://user:password@host` (RFC 3986 §3.2.1) with a password that is not a stand-in. */
export const connectionString: Detector = {
  id: "secret.connection_string",
  category: "secret",
  severity: "critical",
  reach: 16 + MAX_USER_LENGTH + MAX_PASSWORD_LENGTH + HOST_SEEN + 2,
  behind: 1,
  boundary: ALNUM,
  keywords: SCHEMES.split(" ").map((scheme) => `${scheme}://`),
  read(view, at, length) {
    const user = at + length;
    const colon = user + view.run(user, USER, MAX_USER_LENGTH);
    if (view.code(colon) === 0x40) return tokenAlone(view, user, colon);
    if (view.code(colon) !== 0x3a) return null;
    const rest = view.run(colon + 1, PASSWORD, MAX_PASSWORD_LENGTH);
    if (view.short) return null;
    const password = /^(.{3,})@/.exec(view.before(colon + 1 + rest, rest))?.[1];
    if (password === undefined) return null;
    const sign = colon + 1 + password.length;
    const hostWidth = view.run(sign + 1, HOST, HOST_SEEN);
    const host = view.before(sign + 1 + hostWidth, hostWidth);
    if (hostWidth === 0 || TEACHING.test(password) || VARIABLE.test(password)) return null;
    if (isPlaceholder(password) && password.length > 4) return null;
    if (DOCUMENTED_HOST.test(host) && password.length < 6) return null;
    const score = LOCAL_HOST.test(host) || DOCUMENTED_HOST.test(host) || password.length < 4 ? 0.6 : 0.95;
    return { start: at, end: sign + 1 + hostWidth, score };
  },
};

/** `https://TOKEN@host`: a token for a name. Of Sentry's addresses, whose hexadecimal keys are public, nothing is said. */
function tokenAlone(view: View, start: number, end: number): Match | null {
  const token = view.slice(start, end);
  if (token.length < MIN_TOKEN_LENGTH || /^[0-9a-f]+$/i.test(token) || isPlaceholder(token)) return null;
  return drawnBits(token) < MIN_TOKEN_LENGTH ? null : { start, end, score: 0.85 };
}
const MIN_TOKEN_LENGTH = 20;
