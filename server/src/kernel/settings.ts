import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { closestName } from "./schema/closest-name.ts";
import {
  type MailListenerSettings,
  type ProcessRole,
  parseBaseUrl,
  parseCidrs,
  parseDatabaseUrl,
  parseEmail,
  parseHeaders,
  parseHosts,
  parseInteger,
  parseKeyFile,
  parseLogLevel,
  parseMailFrom,
  parseMailListeners,
  parseMasterKey,
  parsePassword,
  parsePemFile,
  parseRole,
  parseShare,
  parseSmtpUrl,
  parseStoreUrl,
} from "./setting-parser.ts";
import { StartupError } from "./startup-error.ts";

export type { MailListenerSettings, ProcessRole } from "./setting-parser.ts";

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** The URL of the database server. If not set, the embedded database under `dataDir` is used. */
  readonly databaseUrl: string | undefined;
  /** A pooler for that database, for requests and work. */
  readonly databasePooler: string | undefined;
  readonly databasePool: number;
  /** The maximum duration of a transaction in seconds, because readers of the log wait for the oldest one. */
  readonly transactionTimeoutSeconds: number;
  readonly dataDir: string;
  /** The folder of a built server, or `off`. Child processes also run from it. */
  readonly bundle: string | undefined;
  /** The folder of a built console, or `off`. Default: built from the sources. */
  readonly consoleFolder: string | undefined;
  readonly adminEmail: string;
  readonly adminPassword: string | undefined;
  readonly masterKey: Buffer | undefined;
  readonly baseUrl: string | undefined;
  /** Additional host names of the installation, which apps cannot use. */
  readonly hosts: readonly string[];
  readonly role: ProcessRole;
  /** Seconds of serving after SIGTERM while reporting not ready, so that a proxy can switch. */
  readonly stopDelaySeconds: number;
  readonly outboundAllow: readonly string[];
  readonly outboundCaPem: string | undefined;
  readonly trustProxy: readonly string[];
  readonly rateLimit: number;
  /**
   * The maximum number of runs of a workflow per day that one cause may start from its third link on. 0 for no limit.
   */
  readonly chainRunsMax: number;
  readonly loginRateLimit: number;
  readonly logLevel: string;
  /** The SMTP server for outgoing e-mail. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** The Reply-To address of e-mails. Undefined for none. */
  readonly mailReplyTo: string | undefined;
  /** Listeners for incoming e-mail. Default: none. */
  readonly mailListeners: readonly MailListenerSettings[];
  /** The certificate and key of that listener, in PEM. */
  readonly mailTlsCertPem: string | undefined;
  readonly mailTlsKeyPem: string | undefined;
  /** The maximum bytes of e-mails per mailbox. 0 for no limit. */
  readonly mailboxBytesMax: number;
  /** The maximum size of an incoming e-mail. */
  readonly mailBytesMax: number;
  /** The maximum number of concurrent connections to the listener. */
  readonly mailConnectionsMax: number;
  /** Days for which raw e-mails are kept. */
  readonly mailRetentionDays: number;
  /** Days for which events are kept. 0 for unlimited. */
  readonly eventRetentionDays: number;
  readonly deliveryRetentionDays: number;
  /** Days for which ended runs are kept. 0 for unlimited. */
  readonly runRetentionDays: number;
  /** The maximum number of concurrent deliveries per webhook. */
  readonly webhookConcurrency: number;
  /** An S3-compatible file store with credentials. If undefined, the data folder is used. */
  readonly fileStoreUrl: string | undefined;
  readonly fileBytesMax: number;
  /** The maximum total bytes of files per workspace. 0 for no limit. */
  readonly fileQuotaBytes: number;
  /** An OpenTelemetry collector for spans and metrics by OTLP over HTTP. If undefined, nothing is sent. */
  readonly otlpEndpoint: string | undefined;
  /** Headers that authenticate with the collector. */
  readonly otlpHeaders: Readonly<Record<string, string>>;
  readonly otlpServiceName: string;
  /** The share of traces that is sent. */
  readonly otlpRatio: number;
  readonly otlpMetricsEveryMs: number;
}

/** An effective setting, for operators. */
export interface SettingInForce {
  readonly name: string;
  /** False if the default applies. */
  readonly isSet: boolean;
  /** Null for secrets, and for unset settings without a default. */
  readonly value: string | null;
  readonly isSecret: boolean;
  /** The allowed values. */
  readonly expected: string;
}

/** Settings that contain passwords or keys and are never shown, even partially. */
const SECRET_SETTINGS: ReadonlySet<string> = new Set([
  "DATABASE_URL",
  "MILLRACE_DATABASE_POOLER",
  "MILLRACE_ADMIN_PASSWORD",
  "MILLRACE_MASTER_KEY",
  "MILLRACE_SMTP_URL",
  "MILLRACE_FILE_STORE",
  "OTEL_EXPORTER_OTLP_HEADERS",
]);

/** Lists every setting with its effective value, without secrets. */
export function listSettings(env: Environment): readonly SettingInForce[] {
  const defaults = new Map<string, unknown>();
  parseSettings({}, (name, value) => defaults.set(name, value));
  return Object.entries(EXPECTED).map(([name, expected]) => {
    const text = env[name] ?? "";
    const isSecret = SECRET_SETTINGS.has(name);
    const value = text === "" ? describeValue(defaults.get(name)) : text;
    return { name, isSet: text !== "", value: isSecret ? null : value, isSecret, expected };
  });
}

function describeValue(value: unknown): string | null {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The public base URL of this installation. */
export function publicUrl({ settings }: { readonly settings: Settings }): string {
  return settings.baseUrl ?? `http://${settings.host}:${settings.port}`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads and checks all settings. Throws one error that names each invalid variable. */
export function readSettings(env: Environment): Settings {
  return parseSettings(env, () => undefined);
}

function parseSettings(
  env: Environment,
  onDefault: (name: string, value: unknown) => void,
): Settings {
  const errors: string[] = [];
  const read: ReadSetting = (name, fallback, parse) => {
    const text = env[name];
    onDefault(name, fallback);
    if (text === undefined || text === "") return fallback;
    const value = parse(text);
    if (value !== undefined) return value;
    errors.push(`${name}: ${EXPECTED[name]}`);
    return fallback;
  };
  const settings: Settings = {
    port: read("PORT", 8080, parseInteger(0, 65_535)),
    host: read("HOST", "127.0.0.1", (text) => text),
    databaseUrl: read("DATABASE_URL", undefined, parseDatabaseUrl),
    databasePooler: read("MILLRACE_DATABASE_POOLER", undefined, parseDatabaseUrl),
    databasePool: read("MILLRACE_DATABASE_POOL", 16, parseInteger(2, 500)),
    transactionTimeoutSeconds: read(
      "MILLRACE_TRANSACTION_TIMEOUT_SECONDS",
      60,
      parseInteger(5, 60),
    ),
    dataDir: resolve(read("MILLRACE_DATA_DIR", "data", (text) => text)),
    bundle: read("MILLRACE_BUNDLE", undefined, (text) => text),
    consoleFolder: read("MILLRACE_CONSOLE", undefined, (text) => text),
    adminEmail: read("MILLRACE_ADMIN_EMAIL", "admin@example.com", parseEmail),
    adminPassword: read("MILLRACE_ADMIN_PASSWORD", undefined, parsePassword),
    masterKey: read("MILLRACE_MASTER_KEY", undefined, parseMasterKey),
    baseUrl: read("MILLRACE_BASE_URL", undefined, parseBaseUrl),
    hosts: read("MILLRACE_HOSTS", [], parseHosts),
    role: read("MILLRACE_ROLE", "all", parseRole),
    stopDelaySeconds: read("MILLRACE_STOP_DELAY_SECONDS", 0, parseInteger(0, 60)),
    outboundAllow: read("MILLRACE_OUTBOUND_ALLOW", [], parseCidrs),
    outboundCaPem: read("MILLRACE_OUTBOUND_CA", undefined, parsePemFile),
    trustProxy: read("MILLRACE_TRUST_PROXY", [], parseCidrs),
    rateLimit: read("MILLRACE_RATE_LIMIT", 60_000, parseInteger(0, 1_000_000_000)),
    chainRunsMax: read("MILLRACE_CHAIN_RUNS_MAX", 50_000, parseInteger(0, 1_000_000_000)),
    loginRateLimit: read("MILLRACE_LOGIN_RATE_LIMIT", 10, parseInteger(0, 1_000_000)),
    logLevel: read("MILLRACE_LOG_LEVEL", "info", parseLogLevel),
    ...readMailSettings(read),
    eventRetentionDays: read("MILLRACE_EVENT_RETENTION_DAYS", 0, parseInteger(0, 36_500)),
    runRetentionDays: read("MILLRACE_RUN_RETENTION_DAYS", 30, parseInteger(0, 36_500)),
    deliveryRetentionDays: read("MILLRACE_DELIVERY_RETENTION_DAYS", 30, parseInteger(1, 36_500)),
    webhookConcurrency: read("MILLRACE_WEBHOOK_CONCURRENCY", 10, parseInteger(1, 1_000)),
    fileStoreUrl: read("MILLRACE_FILE_STORE", undefined, parseStoreUrl),
    fileBytesMax: read("MILLRACE_FILE_MAX_MIB", 100, parseInteger(1, 100_000)) * MIB,
    fileQuotaBytes: read("MILLRACE_FILE_QUOTA_MIB", 10_240, parseInteger(0, 1_000_000_000)) * MIB,
    ...readTelemetrySettings(read),
  };
  if (settings.databasePooler !== undefined && settings.databaseUrl === undefined) {
    errors.push(`MILLRACE_DATABASE_POOLER: ${EXPECTED["MILLRACE_DATABASE_POOLER"]}`);
  }
  errors.push(...checkTls(settings));
  if (errors.length > 0) {
    // A misspelt name may be the cause.
    const lines = [...errors, ...unknownSettings(env)];
    throw new StartupError(`The configuration is not valid:\n  ${lines.join("\n  ")}`);
  }
  return settings;
}

type ReadSetting = <T>(name: string, fallback: T, parse: (text: string) => T | undefined) => T;

function readMailSettings(read: ReadSetting) {
  return {
    smtpUrl: read("MILLRACE_SMTP_URL", undefined, parseSmtpUrl),
    mailReplyTo: read("MILLRACE_MAIL_REPLY_TO", undefined, parseMailFrom),
    mailFrom: read("MILLRACE_MAIL_FROM", "Millrace <millrace@localhost>", parseMailFrom),
    mailListeners: read("MILLRACE_MAIL_LISTEN", [], parseMailListeners),
    mailTlsCertPem: read("MILLRACE_MAIL_TLS_CERT", undefined, parsePemFile),
    mailTlsKeyPem: read("MILLRACE_MAIL_TLS_KEY", undefined, parseKeyFile),
    mailBytesMax: MIB * read("MILLRACE_MAIL_MAX_MIB", 40, parseInteger(1, 200)),
    mailboxBytesMax: MIB * read("MILLRACE_MAILBOX_MAX_MIB", 5_120, parseInteger(0, 100_000_000)),
    mailConnectionsMax: read("MILLRACE_MAIL_CONNECTIONS", 100, parseInteger(1, 10_000)),
    mailRetentionDays: read("MILLRACE_MAIL_RETENTION_DAYS", 30, parseInteger(1, 36_500)),
  };
}

/** With the standard names of OpenTelemetry. */
function readTelemetrySettings(read: ReadSetting) {
  return {
    otlpEndpoint: read("OTEL_EXPORTER_OTLP_ENDPOINT", undefined, parseBaseUrl),
    otlpHeaders: read("OTEL_EXPORTER_OTLP_HEADERS", {}, parseHeaders),
    otlpServiceName: read("OTEL_SERVICE_NAME", "millrace", (text) => text),
    otlpRatio: read("OTEL_TRACES_SAMPLER_ARG", 1, parseShare),
    otlpMetricsEveryMs: read("OTEL_METRIC_EXPORT_INTERVAL", 60_000, parseInteger(100, 3_600_000)),
  };
}

/** The errors of the listener's certificate and key. */
function checkTls({ mailListeners, mailTlsCertPem, mailTlsKeyPem }: Settings): string[] {
  if ((mailTlsCertPem === undefined) !== (mailTlsKeyPem === undefined)) {
    return ["MILLRACE_MAIL_TLS_CERT and MILLRACE_MAIL_TLS_KEY: set both, or neither"];
  }
  const isTls = mailListeners.some(({ protocol }) => protocol === "smtps");
  return isTls && mailTlsCertPem === undefined
    ? ["MILLRACE_MAIL_LISTEN: smtps needs MILLRACE_MAIL_TLS_CERT and MILLRACE_MAIL_TLS_KEY"]
    : [];
}

const MIB = 1024 * 1024;

const PREFIX = "MILLRACE_";

/** A warning line for each variable with our prefix that is not a setting, probably misspelt. */
export function unknownSettings(env: Environment): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !Object.hasOwn(EXPECTED, name))
    .map((name) => {
      const ending = name.slice(PREFIX.length);
      const known = new Map(Object.keys(EXPECTED).map((key) => [key.replace(PREFIX, ""), key]));
      const meant = known.get(closestName(ending, known.keys()) ?? "");
      return `${name} is not a setting${meant === undefined ? "" : `; did you mean ${meant}?`}`;
    });
}

const EXPECTED: Readonly<Record<string, string>> = {
  PORT: "a port number from 0 to 65535",
  HOST: "an address to listen on",
  DATABASE_URL: "a URL such as postgres://user:password@host:5432/database",
  MILLRACE_DATABASE_POOLER:
    "a URL such as postgres://host:6432/database, in addition to DATABASE_URL",
  MILLRACE_DATABASE_POOL: "a number of connections from 2 to 500",
  MILLRACE_TRANSACTION_TIMEOUT_SECONDS: "seconds from 5 to 60",
  MILLRACE_DATA_DIR: "a folder",
  MILLRACE_BUNDLE: "off, or the folder of a built server",
  MILLRACE_CONSOLE: "off, or the folder of a built console",
  MILLRACE_ADMIN_EMAIL: "an e-mail address",
  MILLRACE_ADMIN_PASSWORD: "a password of 8 to 200 characters",
  MILLRACE_MASTER_KEY: "32 bytes in base64",
  MILLRACE_BASE_URL: "an http or https address without a query",
  MILLRACE_HOSTS: "comma-separated host names such as desk.example.com",
  MILLRACE_ROLE: "all, api or worker",
  MILLRACE_STOP_DELAY_SECONDS: "seconds from 0 to 60",
  MILLRACE_OUTBOUND_ALLOW: "comma-separated CIDR ranges such as 10.1.0.0/16",
  MILLRACE_OUTBOUND_CA: "a readable PEM file with a certificate",
  MILLRACE_TRUST_PROXY: "comma-separated CIDR ranges of proxies such as 10.0.0.1/32",
  MILLRACE_RATE_LIMIT: "requests per minute for each credential, 0 for no limit",
  MILLRACE_CHAIN_RUNS_MAX:
    "maximum number of runs of one workflow that one cause can start per day, from the third automation of its chain on; 0 for no limit",
  MILLRACE_LOGIN_RATE_LIMIT: "attempts per minute for each account and address, 0 for no limit",
  MILLRACE_SMTP_URL: "a URL such as smtp://user:password@host:587 or smtps://host",
  MILLRACE_MAIL_REPLY_TO: "where answers to e-mails go, such as Service desk <desk@example.com>",
  MILLRACE_MAIL_FROM: "the sender of e-mails, such as Millrace <desk@example.com>",
  MILLRACE_MAIL_LISTEN:
    "comma-separated addresses that receive e-mail, such as 0.0.0.0:25 or lmtp://127.0.0.1:2424",
  MILLRACE_MAIL_TLS_CERT: "a readable PEM file with a certificate",
  MILLRACE_MAIL_TLS_KEY: "a readable PEM file with a private key",
  MILLRACE_MAIL_MAX_MIB: "the maximum size of a received e-mail, 1 to 200 MiB",
  MILLRACE_MAILBOX_MAX_MIB: "the maximum size of all e-mails of a mailbox in MiB, 0 for no limit",
  MILLRACE_MAIL_CONNECTIONS: "maximum number of connections from mail servers, 1 to 10000",
  MILLRACE_MAIL_RETENTION_DAYS: "the retention of original e-mails in days, at least 1",
  MILLRACE_EVENT_RETENTION_DAYS: "the retention of events in days, 0 for unlimited",
  MILLRACE_RUN_RETENTION_DAYS: "the retention of completed runs in days, 0 for unlimited",
  MILLRACE_DELIVERY_RETENTION_DAYS: "the retention of webhook deliveries in days, at least 1",
  MILLRACE_WEBHOOK_CONCURRENCY: "maximum number of concurrent deliveries to one webhook, 1 to 1000",
  MILLRACE_FILE_STORE:
    "a URL such as https://key:secret@s3.example.com/bucket/folder?region=eu-central-1",
  MILLRACE_FILE_MAX_MIB: "the maximum size of a file in MiB, 1 to 100000",
  MILLRACE_FILE_QUOTA_MIB: "the maximum size of all files of a workspace in MiB, 0 for no limit",
  MILLRACE_LOG_LEVEL: "trace, debug, info, warn, error or silent",
  OTEL_EXPORTER_OTLP_ENDPOINT:
    "the http or https URL of an OpenTelemetry collector, such as http://127.0.0.1:4318",
  OTEL_EXPORTER_OTLP_HEADERS: "headers for the collector, such as api-key=secret,tenant=blue",
  OTEL_SERVICE_NAME: "a name for this installation in traces",
  OTEL_TRACES_SAMPLER_ARG: "the share of traces to send, from 0 to 1",
  OTEL_METRIC_EXPORT_INTERVAL: "milliseconds between two exports of metrics, 100 to 3600000",
};

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(EXPECTED);

/** The version of this product. Packs and clients may require one. */
export const PLATFORM_VERSION = /* @__PURE__ */ readVersion();

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return String((JSON.parse(text) as { readonly version: unknown }).version);
}
